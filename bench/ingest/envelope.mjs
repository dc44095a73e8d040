/**
 * Webhooks as WhatsApp sends them for one text message (Meta, webhooks, text messages): compact JSON, every id its own.
 * A message's id follows from the run and its number, so that an acknowledgement can be kept as a number.
 */
import { createHash, createHmac } from 'node:crypto';

export const account = { phoneNumberId: '402600000000201', secret: 'bench-app-secret', token: 'bench-token' };

const people = 2_000;
const texts = [
  'hi',
  'quick question',
  'do you have anything Saturday?',
  'Perfect, thank you! I will be there ten minutes early 🙏',
  'Could you tell me whether the treatment that we spoke about last week can be moved to the afternoon, because I have to pick up the children at two and the traffic is always bad?',
];

/** `run`: any text that no other run has. */
export function messageId(run, number) {
  const unique = createHash('md5').update(`${run}:${number}`).digest('hex').slice(0, 20).toUpperCase();
  return `wamid.${Buffer.from(`\x1c\x18\x0b15550100311\x15\x02\x00\x12\x18\x14${unique}\x00`).toString('base64')}`;
}

/** One webhook with one message, signed: what is posted. */
export function signedWebhook(run, number) {
  const phone = String(15_550_100_000 + (number % people));
  const user = `US.4021190337746${String(number % people).padStart(7, '0')}`;
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100200', phone_number_id: account.phoneNumberId },
    contacts: [{ profile: { name: `Ana Ferro ${number % people}` }, wa_id: phone, user_id: user }],
    messages: [
      {
        from: phone,
        from_user_id: user,
        id: messageId(run, number),
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: texts[number % texts.length] },
      },
    ],
  };
  const body = Buffer.from(
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '318400000000101', changes: [{ value, field: 'messages' }] }],
    }),
  );
  return { body, signature: `sha256=${createHmac('sha256', account.secret).update(body).digest('hex')}` };
}

/**
 * Webhooks as WhatsApp sends them (Meta, webhooks, text messages and statuses): compact JSON, signed. A message's id
 * follows from the run and its number, so that an acknowledgement can be kept as a number.
 */
import { createHash, createHmac } from 'node:crypto';

export const account = { phoneNumberId: '402600000000201', secret: 'bench-app-secret', token: 'bench-token' };

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

/** What one person of the benchmark is called, by number. */
export function person(number) {
  return {
    phone: String(15_550_100_000 + number),
    user: `US.4021190337746${String(number).padStart(7, '0')}`,
    name: `Ana Ferro ${number}`,
  };
}

/** The mark that a reply repeats for each message which it answers: `#run.number`. */
export const tagOf = (run, number) => `#${run}.${number}`;

/** @param {string} [tag] put before the text. */
export function message(run, number, from, tag) {
  const { phone, user } = person(from);
  const text = texts[number % texts.length];
  return {
    from: phone,
    from_user_id: user,
    id: messageId(run, number),
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: 'text',
    text: { body: tag === undefined ? text : `${tag} ${text}` },
  };
}

/** One webhook with these messages; `people` are the numbers of who wrote them. */
export function messageWebhook(people, messages) {
  const contacts = people.map((number) => {
    const { phone, user, name } = person(number);
    return { profile: { name }, wa_id: phone, user_id: user };
  });
  return signed({ ...value(), contacts, messages });
}

/** One webhook with one status of one accepted part. */
export function statusWebhook({ providerId, recipient, tracker }, status) {
  const one = {
    id: providerId,
    status,
    timestamp: String(Math.floor(Date.now() / 1000)),
    recipient_id: recipient,
    ...(tracker ? { biz_opaque_callback_data: tracker } : {}),
    pricing: { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'service' },
  };
  return signed({ ...value(), statuses: [one] });
}

/** One webhook with one message of one of 2,000 people, signed: what is posted. */
export function signedWebhook(run, number) {
  const from = number % 2_000;
  return messageWebhook([from], [message(run, number, from)]);
}

const value = () => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: '15550100200', phone_number_id: account.phoneNumberId },
});

function signed(value) {
  const body = Buffer.from(
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '318400000000101', changes: [{ value, field: 'messages' }] }],
    }),
  );
  return { body, signature: `sha256=${createHmac('sha256', account.secret).update(body).digest('hex')}` };
}

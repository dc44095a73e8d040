import { readdirSync, readFileSync } from 'node:fs';
import type { Alias } from '#domain';
import { parseBody } from './parse-body.js';

const FOLDER = new URL('../../payloads/', import.meta.url);
const parse = (name: string) => parseBody(readFileSync(new URL(`${name}.json`, FOLDER)));

const phone = (value: string): Alias => ({ kind: 'phone', value });
const user = (value: string): Alias => ({ kind: 'user', value });

const ANA = { aliases: [phone('15550100311'), user('US.40211903377461902255')], name: 'Ana Ferro' };
const BETO = { aliases: [phone('551155550142'), user('BR.7730194456120983')], name: 'Beto Lima' };
const CHIOMA = { aliases: [phone('2348005550177'), user('NG.55120984417730266')], name: 'Chioma E.' };
const SENT = 'wamid.HBgLMTU1NTAxMDAzMTEVAgARGBI5RjEwQUExMUJCMjJDQzMzREQA';

const chat = (sender: object, groupId: string | null = null) => ({ groupId, threadId: null, sender });
const said = (sender: object, type: string, text: string, more: object = {}) => ({
  event: { kind: 'message', chat: chat(sender), speech: { type, text, ...more } },
});
const status = (name: string, more: object = {}) => ({
  externalId: `${SENT}:${name}:15550100311`,
  event: { kind: 'status', status: name, name, providerId: SENT, recipient: '15550100311', error: null, ...more },
});

/** What each payload file must become, in order. */
const EXPECTED: Record<string, object[]> = {
  'wa-batch-two-entries-two-numbers-messages-and-status': [
    { accountExternalId: '402600000000201', ...said(ANA, 'text', 'first number') },
    { accountExternalId: '402600000000201', ...said(CHIOMA, 'text', 'good morning') },
    { accountExternalId: '402600000000201', event: { kind: 'status', status: 'delivered', tracker: null } },
    { accountExternalId: '402600000000202', ...said(BETO, 'text', 'outro numero') },
  ],
  'wa-burst-three-messages-one-change': [
    { providerAt: 1796040010000, ...said(ANA, 'text', 'quick question') },
    { providerAt: 1796040010000, ...said(ANA, 'text', 'do you have anything Saturday?') },
    { providerAt: 1796040010000, ...said(ANA, 'text', 'afternoon') },
  ],
  'wa-click-to-whatsapp-referral': [
    said(ANA, 'text', '[came from ad: Chat with us]\nI saw your ad', {
      details: { referral: { source_id: '120299900000000401', ctwa_clid: 'AfEXAMPLEclid01' } },
    }),
  ],
  'wa-contacts-card': [said(ANA, 'contacts', '[contact] Dario Neto +1 (555) 010-0444')],
  'wa-dashboard-test-event-unknown-number': [
    {
      accountExternalId: '999000999',
      externalId: 'TESTEVENT0001',
      ...said({ aliases: [phone('15550108888')], name: 'test user name' }, 'text', 'this is a text message'),
    },
  ],
  'wa-document': [
    said(ANA, 'document', '[document: order – final.pdf] my order form', {
      media: { id: '880100000000504', mimeType: 'application/pdf', filename: 'order – final.pdf', url: null },
    }),
  ],
  'wa-edit': [
    {
      externalId: 'wamid.HBgLMTU1NTAxMDAzMTEVAgASGBQzQTkwQzRGMkI3RTk4RDAwNTYwNAA=',
      event: {
        kind: 'edit',
        chat: chat(ANA),
        targetId: 'wamid.HBgLMTU1NTAxMDAzMTEVAgASGBQzQTEwQzRGMkI3RTk4RDAwNTVBMQA=',
        speech: { type: 'text', text: 'Do you open on Sunday?', media: null, details: null },
      },
    },
  ],
  'wa-errors-at-value-level': [{ providerAt: null, event: { kind: 'notice', what: 'error:130429' } }],
  'wa-group-text': [
    { event: { kind: 'message', chat: chat(ANA, 'Y2FwaV9ncm91cDpFWEFNUExF'), speech: { text: 'who is coming?' } } },
  ],
  'wa-image-caption-with-url': [
    said(ANA, 'image', '[image] size ok?', {
      media: {
        id: '880100000000501',
        mimeType: 'image/jpeg',
        filename: null,
        url: 'https://lookaside.example/wa?mid=880100000000501',
      },
    }),
  ],
  'wa-interactive-button-reply': [
    said(ANA, 'interactive', 'Saturday pm', { details: { button_reply: { id: 'slot:sat-pm' } } }),
  ],
  'wa-interactive-list-reply': [
    said(ANA, 'interactive', 'Haircut (45 minutes)', { details: { list_reply: { id: 'svc:cut' } } }),
  ],
  'wa-location': [
    said(BETO, 'location', '[location] Praca Exemplo, Rua Exemplo, 10 (-23.5505, -46.6333)', {
      details: { latitude: -23.5505, longitude: -46.6333 },
    }),
  ],
  'wa-order': [
    said(ANA, 'order', '[order] 2 × sku-mug-07 (12.50 USD)', { details: { catalog_id: '771200000000301' } }),
  ],
  'wa-reaction-added': [{ event: { kind: 'reaction', chat: chat(ANA), emoji: '👍🏽' } }],
  'wa-reaction-removed-no-emoji': [{ event: { kind: 'reaction', chat: chat(ANA), emoji: null } }],
  'wa-reply-context': [
    {
      event: {
        kind: 'message',
        speech: { text: 'the blue one' },
        replyTo: 'wamid.HBgLMTU1NTAxMDAzMTEVAgARGBI5RjAxQUExMUJCMjJDQzMzREQA',
      },
    },
  ],
  'wa-request-welcome': [{ event: { kind: 'system', chat: chat(ANA), what: 'request_welcome', replaces: [] } }],
  'wa-smb-message-echo-human-on-phone': [
    { event: { kind: 'echo', chat: chat(ANA), speech: { text: 'Hi Ana, Marta here, I will sort this out.' } } },
  ],
  'wa-status-delivered': [status('delivered', { tracker: 'outbox:7f3c1d52-part-1' })],
  'wa-status-failed-131047-window': [
    status('failed', {
      tracker: 'outbox:7f3c1d52-part-1',
      error: {
        code: '131047',
        message: 'Re-engagement message: More than 24 hours have passed since the customer last replied.',
      },
    }),
  ],
  'wa-status-played': [status('played', { status: null })],
  'wa-status-read-arrives-before-delivered': [
    { providerAt: 1796040095000, ...status('read') },
    { providerAt: 1796040092000, ...status('delivered') },
  ],
  'wa-status-sent-with-callback-data': [status('sent', { tracker: 'outbox:7f3c1d52-part-1' })],
  'wa-status-unknown-wamid': [{ externalId: 'wamid.HBgUNKNOWNEXAMPLE:delivered:15550100999' }],
  'wa-sticker-animated': [
    said(ANA, 'sticker', '[sticker]', { media: { mimeType: 'image/webp' }, details: { animated: true } }),
  ],
  'wa-system-user-changed-number': [
    {
      event: {
        kind: 'system',
        what: 'user_changed_number',
        chat: chat({ aliases: [phone('15550100399'), user('US.60355518820047719930')], name: null }),
        replaces: [phone('15550100311')],
      },
    },
  ],
  'wa-template-quick-reply-button': [said(ANA, 'button', 'Stop promotions', { details: { payload: 'STOP_PROMO' } })],
  'wa-text': [
    {
      accountExternalId: '402600000000201',
      externalId: 'wamid.HBgLMTU1NTAxMDAzMTEVAgASGBQzQTEwQzRGMkI3RTk4RDAwNTVBMQA=',
      providerAt: 1796040000000,
      rawIsBase64: false,
      event: {
        kind: 'message',
        chat: chat(ANA),
        speech: { type: 'text', text: 'Do you open on Saturday?', media: null, details: null },
        replyTo: null,
      },
    },
  ],
  'wa-text-emoji-accents-slash': [said(BETO, 'text', 'Café ☕ 👩‍🍳 🇧🇷 10/12 <b> & "ok" a@b.example')],
  'wa-text-no-bsuid-old-shape': [said({ aliases: [phone('15550100311')], name: 'Ana Ferro' }, 'text', 'hello')],
  'wa-text-username-phone-omitted': [
    said({ aliases: [user('BR.7730194456120983')], name: 'Beto Lima' }, 'text', 'Oi, tudo bem?'),
  ],
  'wa-text-username-phone-still-present': [
    said(
      { aliases: [...ANA.aliases, { kind: 'parent', value: 'US.ENT.90017745520183' }], name: 'Ana Ferro' },
      'text',
      'it is me again',
    ),
  ],
  'wa-unsupported-131051': [
    { event: { kind: 'unsupported', chat: chat(ANA), what: 'poll_creation', error: { code: '131051' } } },
  ],
  'wa-user-id-update': [
    {
      providerAt: 1796040072000,
      event: {
        kind: 'system',
        what: 'user_id_update',
        chat: chat({ aliases: [user('BR.8841205567231094')] }),
        replaces: [user('BR.7730194456120983')],
      },
    },
  ],
  'wa-user-preferences-stop': [{ providerAt: 1796040110000, event: { kind: 'notice', what: 'user_preferences' } }],
  'wa-video': [said(ANA, 'video', '[video]', { media: { id: '880100000000503' } })],
  'wa-voice-note': [said(BETO, 'audio', '[voice note]', { details: { voice: true } })],
};

describe('payload files', () => {
  it('all have an expectation', () => {
    const files = readdirSync(FOLDER).filter((name) => name.startsWith('wa-') && name.endsWith('.json'));
    expect(files.map((name) => name.replace(/\.json$/, '')).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(Object.entries(EXPECTED))('%s', (name, expected) => {
    const items = parse(name);
    expect(items).toMatchObject(expected);
    expect(new Set(items.map((item) => item.externalId)).size).toBe(items.length);
    for (const item of items) {
      expect(item.contentHash).toMatch(/^[0-9a-f]{64}$/);
      expect(JSON.parse(item.raw)).toMatchObject({ field: expect.any(String), metadata: expect.any(Object) });
    }
  });

  it('keep in raw what is needed to read the item alone', () => {
    const raw = JSON.parse(parse('wa-text')[0]?.raw ?? '') as Record<string, unknown>;
    expect(Object.keys(raw)).toEqual(['field', 'metadata', 'contact', 'message']);
    expect(raw).toMatchObject({ field: 'messages', contact: { wa_id: '15550100311' }, message: { type: 'text' } });
  });
});

/** The content of a message as something that a model and a person can both read. */
import { SPEECH_TYPES, type Speech, type SpeechType } from '#domain';
import { frameSpeech } from './frame-speech.js';
import { asBag, asText, type Bag, pickDetails } from './read.js';
import { type ReadContent, readMedia } from './read-media.js';
import { readButton, readInteractive } from './read-reply.js';
import { readContacts, readLocation, readOrder } from './read-things.js';

const READERS: Readonly<Record<SpeechType, ReadContent>> = {
  text: readText,
  image: readMedia('image'),
  video: readMedia('video'),
  audio: readMedia('audio'),
  document: readMedia('document'),
  sticker: readMedia('sticker'),
  location: readLocation,
  contacts: readContacts,
  interactive: readInteractive,
  button: readButton,
  order: readOrder,
};

export function isSpeechType(type: string): type is SpeechType {
  return (SPEECH_TYPES as readonly string[]).includes(type);
}

/** Null when the message does not hold the content that its type promises. */
export function readSpeech(type: SpeechType, message: Bag): Speech | null {
  const content = READERS[type](message);
  return content === null ? null : frameSpeech({ type, ...content }, message);
}

function readText(message: Bag): ReturnType<ReadContent> {
  const text = asBag(message.text);
  if (typeof text?.body !== 'string') return null;
  return { text: asText(text.body) ?? '[empty message]', media: null, details: pickDetails(text, ['preview_url']) };
}

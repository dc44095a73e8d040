const TICKS = { accepted: '🕓', sent: '✓', delivered: '✓✓', read: '✓✓', played: '✓✓', failed: '⚠ not delivered' };

/** Draws the chat of one customer. Text only ever enters as text. */
export class ChatView {
  #list;
  #items = new Map();
  #typing = document.createElement('li');

  constructor(list) {
    this.#list = list;
    this.#typing.className = 'out typing';
    this.#typing.textContent = 'typing…';
    this.#typing.hidden = true;
  }

  show(entries) {
    this.#items.clear();
    this.#list.replaceChildren();
    if (entries.length === 0) {
      const empty = document.createElement('li');
      empty.className = 'empty';
      empty.textContent = 'No messages yet. Write several in a row: they are answered together.';
      this.#list.append(empty);
    }
    for (const entry of entries) this.add(entry);
  }

  add(entry) {
    if (this.#items.has(entry.id)) return;
    this.#list.querySelector('.empty')?.remove();
    const item = document.createElement('li');
    const meta = document.createElement('span');
    if (entry.thread) {
      const thread = document.createElement('span');
      thread.className = 'thread';
      thread.textContent = `#${entry.thread} `;
      item.append(thread);
    }
    item.append(entry.text, meta);
    this.#items.set(entry.id, { item, meta, entry });
    this.#draw(entry.id);
    this.#list.append(item, this.#typing);
    this.#list.scrollTop = this.#list.scrollHeight;
  }

  /** A status of the business's message: sent, delivered, read or failed. */
  tick(id, status) {
    const known = this.#items.get(id);
    if (!known) return;
    known.entry.tick = status;
    this.#draw(id);
  }

  /** The business has read these messages of the customer. */
  read(ids) {
    for (const id of ids) {
      const known = this.#items.get(id);
      if (!known) continue;
      known.entry.read = true;
      this.#draw(id);
    }
  }

  typing(on) {
    this.#typing.hidden = !on;
    if (on) this.#list.append(this.#typing);
    this.#list.scrollTop = this.#list.scrollHeight;
  }

  #draw(id) {
    const { item, meta, entry } = this.#items.get(id);
    const tick = entry.direction === 'in' ? (entry.read ? 'read' : 'sent') : (entry.tick ?? 'accepted');
    item.className = `${entry.direction} ${tick}`;
    meta.className = `meta ${tick === 'played' ? 'read' : tick}`;
    const mark = document.createElement('span');
    mark.className = 'tick';
    mark.textContent = TICKS[tick];
    mark.title =
      entry.direction === 'in' ? (entry.read ? 'read by the business' : 'on its way') : `told to the business: ${tick}`;
    const time = new Date(entry.at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    meta.replaceChildren(`${time} `, mark);
  }
}

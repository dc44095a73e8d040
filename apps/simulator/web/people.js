const STORE = 'oneturn-customers';
const INVENTED = [
  { phone: '15550100311', name: 'Ana Ferro' },
  { phone: '15550100322', name: 'Beto Lima' },
  { phone: '15550100333', name: 'Chloe Ito' },
];

/** The customers this browser can write as; those whom others wrote as are added when they show up. */
export class People {
  #nav;
  #onPick;
  #list = load();
  #unread = new Map();
  current;

  constructor(nav, onPick) {
    this.#nav = nav;
    this.#onPick = onPick;
    this.current = this.#list[0];
    this.draw();
  }

  /** Adds a customer, or renames the one with this phone. */
  add(phone, name, keep = true) {
    const known = this.#list.find((person) => person.phone === phone);
    const person = known ?? { phone, name };
    if (known) known.name = name;
    else this.#list.push(person);
    if (keep) localStorage.setItem(STORE, JSON.stringify(this.#list));
    this.draw();
    return person;
  }

  has(phone) {
    return this.#list.some((person) => person.phone === phone);
  }

  pick(person) {
    this.current = person;
    this.#unread.delete(person.phone);
    this.draw();
    this.#onPick(person);
  }

  /** Something arrived for a customer who is not shown. */
  nudge(phone) {
    this.#unread.set(phone, (this.#unread.get(phone) ?? 0) + 1);
    this.draw();
  }

  draw() {
    this.#nav.replaceChildren(
      ...this.#list.map((person) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.setAttribute('aria-current', String(person === this.current));
        const label = document.createElement('span');
        const phone = document.createElement('small');
        phone.textContent = /^\d+$/.test(person.phone) ? `+${person.phone}` : person.phone;
        label.append(person.name, phone);
        button.append(label);
        const unread = this.#unread.get(person.phone);
        if (unread) {
          const badge = document.createElement('span');
          badge.className = 'unread';
          badge.textContent = String(unread);
          button.append(badge);
        }
        button.addEventListener('click', () => this.pick(person));
        return button;
      }),
    );
  }
}

function load() {
  try {
    const stored = JSON.parse(localStorage.getItem(STORE) ?? '[]');
    if (Array.isArray(stored) && stored.length > 0) return stored;
  } catch {
    // A damaged store is as good as none.
  }
  return INVENTED.map((person) => ({ ...person }));
}

/**
 * A list and a heap whose elements know their places, so that any of them can be removed at once.
 *
 * @module
 */

/** A doubly linked list. An element is in one list at most; it has the members `list`, `before` and `behind`. */
export class List {
  constructor() {
    this.first = undefined;
    this.last = undefined;
    this.size = 0;
  }

  /** Adds an element at the end. */
  push(element) {
    element.list = this;
    element.before = this.last;
    element.behind = undefined;
    if (this.last === undefined) this.first = element;
    else this.last.behind = element;
    this.last = element;
    this.size++;
  }

  /** Adds an element at the beginning. */
  unshift(element) {
    element.list = this;
    element.before = undefined;
    element.behind = this.first;
    if (this.first === undefined) this.last = element;
    else this.first.before = element;
    this.first = element;
    this.size++;
  }

  /** Removes an element of this list. */
  remove(element) {
    if (element.before === undefined) this.first = element.behind;
    else element.before.behind = element.behind;
    if (element.behind === undefined) this.last = element.before;
    else element.behind.before = element.before;
    element.list = undefined;
    element.before = undefined;
    element.behind = undefined;
    this.size--;
  }

  /** Removes and returns the first element. */
  shift() {
    const element = this.first;
    if (element !== undefined) this.remove(element);
    return element;
  }

  * [Symbol.iterator]() {
    for (let element = this.first; element !== undefined;) {
      const { behind } = element;
      yield element;
      element = behind;
    }
  }
}

/** A binary heap by the member `due`. An element has the member `place`: its index, −1 if it is in no heap. */
export class Heap {
  constructor() {
    /** All elements, in the order of the heap. */
    this.elements = [];
  }

  get size() {
    return this.elements.length;
  }

  /** The element that is due first. */
  get first() {
    return this.elements[0];
  }

  /** Adds an element. */
  push(element) {
    element.place = this.elements.length;
    this.elements.push(element);
    this.#rise(element);
  }

  /** Removes an element of this heap. */
  remove(element) {
    const { place } = element;
    const last = this.elements.pop();
    element.place = -1;
    if (last === element) return;
    last.place = place;
    this.elements[place] = last;
    this.#rise(last);
    this.#sink(last);
  }

  #rise(element) {
    const { elements } = this;
    let { place } = element;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = elements[above];
      if (parent.due <= element.due) break;
      elements[place] = parent;
      parent.place = place;
      place = above;
    }
    elements[place] = element;
    element.place = place;
  }

  #sink(element) {
    const { elements } = this;
    let { place } = element;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= elements.length) break;
      if (below + 1 < elements.length && elements[below + 1].due < elements[below].due) below++;
      const child = elements[below];
      if (child.due >= element.due) break;
      elements[place] = child;
      child.place = place;
      place = below;
    }
    elements[place] = element;
    element.place = place;
  }
}

/** The largest distance of ids that have their places in the array. */
const LARGEST_WINDOW = 1 << 16;

/**
 * Elements by their ids, which ascend by about one. The place of an id is its remainder. Elements that stay for very
 * long are kept apart, so that they do not make the array large.
 */
export class Window {
  #places = new Array(64).fill(undefined);
  #oldest = 1;
  #newest = 0;
  #late = new Map();
  #size = 0;

  /** The number of elements. */
  get size() {
    return this.#size + this.#late.size;
  }

  /** Adds an element with an id that is larger than all before. */
  set(id, element) {
    if (this.#size === 0) this.#oldest = id;
    this.#newest = id;
    while (id - this.#oldest >= this.#places.length) this.#makeRoom();
    this.#places[id % this.#places.length] = element;
    this.#size++;
  }

  /** The element with the id; undefined if there is none. */
  get(id) {
    if (id < this.#oldest) return this.#late.get(id);
    return id <= this.#newest ? this.#places[id % this.#places.length] : undefined;
  }

  /** Removes the element with the id. */
  delete(id) {
    if (this.#late.delete(id) || this.get(id) === undefined) return;
    this.#places[id % this.#places.length] = undefined;
    this.#size--;
    this.#advance();
  }

  /** Moves the beginning to the first element that is there. */
  #advance() {
    if (this.#size === 0) return;
    while (this.#places[this.#oldest % this.#places.length] === undefined) this.#oldest++;
  }

  #makeRoom() {
    const before = this.#places;
    if (before.length >= LARGEST_WINDOW) {
      this.#late.set(this.#oldest, before[this.#oldest % before.length]);
      before[this.#oldest % before.length] = undefined;
      this.#size--;
      if (this.#size === 0) this.#oldest = this.#newest;
      this.#advance();
      return;
    }
    this.#places = new Array(2 * before.length).fill(undefined);
    for (let id = this.#oldest; id < this.#newest; id++) {
      if (id - this.#oldest < before.length) this.#places[id % this.#places.length] = before[id % before.length];
    }
  }

  /** The element with the smallest id; undefined if there is none. */
  get first() {
    if (this.#late.size > 0) return this.#late.values().next().value;
    return this.#size === 0 ? undefined : this.#places[this.#oldest % this.#places.length];
  }

  /** All elements by ascending ids. */
  * values() {
    yield* this.#late.values();
    if (this.#size === 0) return;
    for (let id = this.#oldest; id <= this.#newest; id++) {
      const element = this.#places[id % this.#places.length];
      if (element !== undefined) yield element;
    }
  }
}

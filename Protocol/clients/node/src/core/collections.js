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

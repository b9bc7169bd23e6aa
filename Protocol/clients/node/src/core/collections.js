/**
 * A list, a heap and a schedule whose elements know their places, so that any of them can be removed at once.
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

/**
 * Elements by the member `due`. Most are added in the order in which they are due, as calls mostly have the same
 * timeout: those are in a list, whose elements are added and removed in few steps, and the others in a heap. An element
 * has the members `earlier`, `later` and `place`, which is −1 if it is in no schedule.
 */
export class Schedule {
  #heap = new Heap();
  #first = undefined;
  #last = undefined;
  #listed = 0;

  /** The number of elements. */
  get size() {
    return this.#listed + this.#heap.size;
  }

  /** The element that is due first. */
  get first() {
    const other = this.#heap.first;
    if (other === undefined) return this.#first;
    return this.#first === undefined || other.due < this.#first.due ? other : this.#first;
  }

  /** All elements. */
  get elements() {
    const found = [...this.#heap.elements];
    for (let element = this.#first; element !== undefined; element = element.later) found.push(element);
    return found;
  }

  /** Adds an element. */
  push(element) {
    const last = this.#last;
    if (last !== undefined && element.due < last.due) {
      this.#heap.push(element);
      return;
    }
    element.place = LISTED;
    element.earlier = last;
    if (last === undefined) this.#first = element;
    else last.later = element;
    this.#last = element;
    this.#listed++;
  }

  /** Removes an element of this schedule. */
  remove(element) {
    if (element.place !== LISTED) {
      this.#heap.remove(element);
      return;
    }
    const { earlier, later } = element;
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
    element.earlier = undefined;
    element.later = undefined;
    element.place = -1;
    this.#listed--;
  }
}

/** The place of an element in the list of a schedule. */
const LISTED = 2 ** 30 - 1;

/** The largest distance of ids that have their places in the array: a power of two, as all lengths of it. */
const MAXIMUM_WINDOW = 1 << 16;

/**
 * Elements by their ids, which ascend by about one. The place of an id is its remainder by the length of the array.
 * Elements that stay for very long are kept apart, so that they do not make the array large.
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

  #place(id) {
    return id & (this.#places.length - 1);
  }

  /** Adds an element with an id that is larger than all before. */
  set(id, element) {
    if (this.#size === 0) this.#oldest = id;
    this.#newest = id;
    while (id - this.#oldest >= this.#places.length) this.#makeRoom();
    this.#places[this.#place(id)] = element;
    this.#size++;
  }

  /** The element with the id; undefined if there is none. */
  get(id) {
    if (id < this.#oldest) return this.#late.get(id);
    return id <= this.#newest ? this.#places[this.#place(id)] : undefined;
  }

  /** Removes the element with the id. */
  delete(id) {
    if ((this.#late.size > 0 && this.#late.delete(id)) || this.get(id) === undefined) return;
    this.#places[this.#place(id)] = undefined;
    this.#size--;
    this.#advance();
  }

  /** Moves the beginning to the first element that is there. */
  #advance() {
    if (this.#size === 0) return;
    while (this.#places[this.#place(this.#oldest)] === undefined) this.#oldest++;
  }

  #makeRoom() {
    const before = this.#places;
    if (before.length >= MAXIMUM_WINDOW) {
      this.#late.set(this.#oldest, before[this.#oldest & (before.length - 1)]);
      before[this.#oldest & (before.length - 1)] = undefined;
      this.#size--;
      if (this.#size === 0) this.#oldest = this.#newest;
      this.#advance();
      return;
    }
    this.#places = new Array(2 * before.length).fill(undefined);
    for (let id = this.#oldest; id < this.#newest; id++) {
      if (id - this.#oldest < before.length) this.#places[this.#place(id)] = before[id & (before.length - 1)];
    }
  }

  /** The element with the smallest id; undefined if there is none. */
  get first() {
    if (this.#late.size > 0) return this.#late.values().next().value;
    return this.#size === 0 ? undefined : this.#places[this.#place(this.#oldest)];
  }

  /** All elements by ascending ids. */
  * values() {
    yield* this.#late.values();
    if (this.#size === 0) return;
    for (let id = this.#oldest; id <= this.#newest; id++) {
      const element = this.#places[this.#place(id)];
      if (element !== undefined) yield element;
    }
  }
}

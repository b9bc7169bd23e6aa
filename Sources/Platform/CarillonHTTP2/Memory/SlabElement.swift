/// A record that a slab reuses; it keeps its memory between uses.
public protocol SlabElement {
    /// Makes a record that is not in use.
    init()
    /// True if the record is in use.
    var isOpen: Bool { get set }
    /// The next record of the free list; nil while this one is in use.
    var nextFree: UnsafeMutablePointer<Self>? { get set }
    /// Resets the record for its next use.
    mutating func reset()
    /// Frees the record's own memory, at the end of the slab.
    mutating func free()
}

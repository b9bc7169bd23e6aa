/// The position of an event's bytes among those of its batch.
struct ByteRange: Sendable {
    var offset: Int
    var count: Int
}

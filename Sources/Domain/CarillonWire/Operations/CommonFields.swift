import CarillonCore

/// The tagged fields that every request may carry (Protocol 16.2).
package struct CommonFields: Hashable, Sendable {
    /// The time from receipt after which the server need not begin, in milliseconds; nil for no deadline.
    package var deadlineMilliseconds: UInt32?

    package init(deadlineMilliseconds: UInt32? = nil) {
        self.deadlineMilliseconds = deadlineMilliseconds
    }

    /// The most bytes of the tagged section of a request that has no other fields: the number of fields, and the tag,
    /// the length and the value of `deadline_ms`.
    static let maximumBytes = 1 + (1 + 1 + 4)

    /// The tag of `deadline_ms`. No other field of a request has it.
    static let deadlineTag: UInt32 = 2

    var fields: [FrameWriter.TaggedField?] { [FrameWriter.field(Self.deadlineTag, deadlineMilliseconds)] }

    /// Appends the fields to a section; returns the number of fields appended.
    func write(to writer: inout FrameWriter) -> Int {
        writer.tag(FrameWriter.field(Self.deadlineTag, deadlineMilliseconds))
    }

    /// Reads a tag; returns false if it is not a common one.
    mutating func read(
        _ tag: UInt32, value: UnsafeRawBufferPointer, with reader: PayloadReader
    ) throws(WireError) -> Bool {
        guard tag == Self.deadlineTag else { return false }
        deadlineMilliseconds = try reader.integer(UInt32.self, of: value, field: "deadline_ms")
        return true
    }

    /// Ends a payload that has no tags of its own.
    mutating func finish(_ reader: inout PayloadReader, ignoringUnknown: Bool = false) throws(WireError) {
        var found = self
        try reader.finish(ignoringUnknown: ignoringUnknown) { reader, tag, value throws(WireError) in
            try found.read(tag, value: value, with: reader)
        }
        self = found
    }
}

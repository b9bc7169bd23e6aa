package import CarillonCore

/// The answer to LEAVE, SUBSCRIBE and UNSUBSCRIBE (Protocol 8.2 and 9.1): one type, because their payloads are the
/// same.
package struct MembershipChangeAnswer: Hashable, Sendable {
    /// The number of devices that left (`left` of LEAVE), or of sources of a topic that are new or removed.
    package var changed: UInt32
    /// The indices of devices of the request that are not registered.
    package var unknown: [UInt32]

    package init(changed: UInt32, unknown: [UInt32]) {
        self.changed = changed
        self.unknown = unknown
    }

    package init(_ answer: ChangeAnswer.MembershipChange) {
        self.init(changed: answer.changed, unknown: answer.unknown)
    }
}

extension MembershipChangeAnswer: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(changed: try reader.u32("changed"), unknown: try reader.indices("unknown"))
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u32(changed)
        writer.list(unknown) { $0.u32($1) }
    }
}

import CarillonCore

/// The request REMOVE_NODE (Protocol 13.3).
package struct RemoveNodeRequest: IndividualOperation {
    package static let opcode = Opcode.removeNode

    /// The name of the node. A frame may have 1 to 64 bytes here; a name has at most 63.
    package var node: String

    package init(node: String) { self.node = node }

    package var concernsServer: Bool { true }

    package consuming func individualRequest() -> IndividualRequest { .removeNode(self) }
}

extension Opcode {
    package static let removeNode = Opcode(rawValue: 0x0082)
}

// MARK: Codec (Protocol 13.3)

extension RemoveNodeRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(node: try reader.string("node", limits: 1...64))
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(node)
        writer.tags(common)
    }

    /// Reads the number of the incarnation that is over.
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> UInt64 {
        let incarnation = try reader.u64("incarnation")
        try reader.finishAnswer()
        return incarnation
    }

    package static func write(_ answer: UInt64, to writer: inout FrameWriter) { writer.u64(answer) }
}

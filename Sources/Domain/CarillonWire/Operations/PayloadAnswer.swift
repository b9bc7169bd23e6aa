/// An answer that is written as it stands: its operation needs no codec for it.
package protocol PayloadAnswer: Hashable, Sendable {
    /// Reads the payload to its end; unknown tags are skipped.
    init(from reader: inout PayloadReader) throws(WireError)
    func write(to writer: inout FrameWriter)
}

extension Operation where Answer: PayloadAnswer {
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> Answer {
        try Answer(from: &reader)
    }
    package static func write(_ answer: Answer, to writer: inout FrameWriter) { answer.write(to: &writer) }
}

/// The answer of an operation that only confirms that it is done.
package struct EmptyAnswer: PayloadAnswer {
    package init() {}

    package init(from reader: inout PayloadReader) throws(WireError) {
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {}
}

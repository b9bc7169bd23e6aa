package import CarillonCore

/// The request EXPLAIN (Protocol 9.4).
package struct ExplainRequest: LongReadOperation {
    package typealias Answer = Explanation

    package static let opcode = Opcode.explain

    package var app: AppID
    package var condition: Condition

    package init(app: AppID, condition: Condition) {
        self.app = app
        self.condition = condition
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<Explanation, RequestError> {
        .success(try registry.explain(condition, app: app))
    }
}

extension Opcode {
    package static let explain = Opcode(rawValue: 0x0040)
}

// MARK: Codec (Protocol 9.4)

extension ExplainRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        let app = try reader.app()
        let text = try reader.string("condition")
        self.init(app: app, condition: reader.condition(text))
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.string(condition.description)
        writer.tags(common)
    }
}

extension Explanation: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            condition: try reader.string("condition"),
            devices: try reader.u64("devices"),
            terms: []
        )
        var terms: [Term] = []
        try reader.list("sets", elementBytes: 2 + 8) { reader, _ throws(WireError) in
            terms.append(Term(set: try reader.string("set"), devices: try reader.u64("devices")))
        }
        self.terms = terms
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.string(condition)
        writer.u64(devices)
        writer.list(terms) { writer, term in
            writer.string(term.set)
            writer.u64(term.devices)
        }
    }
}

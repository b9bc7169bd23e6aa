package import CarillonCore

/// EXPLAIN (Protocol 8.4).
package struct ConditionQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The condition.
    package var condition: Condition

    /// Makes an EXPLAIN.
    package init(app: AppID, condition: Condition) {
        self.app = app
        self.condition = condition
    }
}

extension Subscription {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            topics: try reader.topics(1...WireLimits.names),
            devices: try reader.devices(0...WireLimits.batch),
            groups: try reader.groups(0...WireLimits.batch)
        )
        let holders = devices.count + groups.count
        if holders == 0 { reader.note("devices", "there are neither devices nor groups") }
        if topics.count * holders > Self.pairLimit {
            let text = "\(topics.count) topics for \(holders) devices and groups"
            reader.note("topics", text, limit: UInt64(Self.pairLimit))
        }
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.list(topics) { $0.string($1.name) }
        writer.list(devices) { $0.device($1) }
        writer.list(groups) { $0.string($1.name) }
        writer.tags(common)
    }
}

extension ConditionQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        let app = try reader.app()
        let text = try reader.string("condition", 0...65_535)
        self.init(app: app, condition: reader.condition(text))
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.string(condition.description)
        writer.tags(common)
    }
}

extension Explanation {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(
            condition: try reader.string("condition", 0...65_535),
            devices: try reader.u64("devices"),
            terms: []
        )
        var terms: [Term] = []
        try reader.list("sets", elementBytes: 10) { reader, _ throws(WireFault) in
            terms.append(Term(set: try reader.string("set", 0...65_535), devices: try reader.u64("devices")))
        }
        self.terms = terms
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.string(condition)
        writer.u64(devices)
        writer.list(terms) { writer, term in
            writer.string(term.set)
            writer.u64(term.devices)
        }
    }
}

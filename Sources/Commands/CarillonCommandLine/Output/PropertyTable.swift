package import CarillonCore

/// A table of names and values, shown as text or as one JSON object.
package struct PropertyTable {
    private var rows: [(name: String, value: String)] = []
    private var members: [JSON.Member] = []

    package init() {}

    /// Adds a value that is written differently as text and as JSON; a nil is left out.
    package mutating func add(_ name: String, text: String?, key: String, json value: JSON?) {
        if let text { rows.append((name, text)) }
        if let value { members.append(.init(name: key, value: value)) }
    }

    package mutating func add(_ name: String, value number: UInt64?, key: String) {
        add(name, text: number.map { Int(clamping: $0).grouped }, key: key, json: number.map { .number($0) })
    }

    package mutating func add(_ name: String, value text: String?, key: String) {
        add(name, text: text, key: key, json: text.map { .text($0) })
    }

    /// Adds a point of time. In JSON it is in milliseconds, and its key ends with `_ms`.
    package mutating func add(_ name: String, value time: Timestamp?, key: String, now: Timestamp) {
        let text = time.map { "\($0.utcText), \($0.relative(to: now))" }
        add(name, text: text, key: key + "_ms", json: time.map { .number($0.milliseconds) })
    }

    /// Adds names; the text has at most `limit` of them.
    package mutating func add(_ name: String, value names: [String], key: String, limit: Int = 100) {
        let more = names.count > limit ? " and \((names.count - limit).grouped) more" : ""
        let text = names.isEmpty ? "none" : names.prefix(limit).joined(separator: ", ") + more
        add(name, text: text, key: key, json: .list(names.map { .text($0) }))
    }

    /// Returns the table as text, no wider than `columns` if that is given.
    package func text(columns: Int? = nil) -> String { TwoColumnTable.text(of: rows, columns: columns) }

    package var json: JSON { .object(members) }

    package func show(isJSON: Bool) {
        StandardOutput.printLine(isJSON ? json.line : text(columns: StandardOutput.columns))
    }
}

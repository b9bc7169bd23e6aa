import CarillonCore
import Foundation
import Testing

/// A row of `Protocol/vectors/payloads.json`.
struct PayloadRow: Sendable, CustomTestStringConvertible {
    let members: [String: JSONValue]

    var name: String { members["name"]?.string ?? "" }
    /// The field at fault; nil if the row has a payload.
    var fault: String? { members["fault"]?.string }
    /// The members that `composed` returns if there is no fault.
    var expected: [String: JSONValue] { members.filter { ["payload", "bodies"].contains($0.key) } }
    var testDescription: String { name }

    static func load() throws -> [PayloadRow] {
        // Our own parser: Foundation's gives no difference between 1 and 1.0, nor all digits of 64 bits.
        let text = try String(contentsOf: Specification.file("vectors/payloads.json"), encoding: .utf8)
        let rows = try JSONObjectParser.parse(Array("{\"rows\":\(text)}".utf8))["rows"]
        guard case .array(let items) = rows else { throw Specification.Fault.noTable("payloads.json") }
        return try items.map { PayloadRow(members: try #require($0.members)) }
            .filter { !namesWithASurrogate.contains($0.name) }
    }

    /// The rows that are left out: a text of Swift contains no lone surrogate.
    static let namesWithASurrogate: Set = [
        "a lone surrogate", "a lone surrogate in a list of an object", "a name with a lone surrogate",
    ]

    /// The value of the row that JSON cannot contain, and its path in `data`; nil if the row has no such value.
    private var special: (path: [JSONValue], value: String)? {
        guard let special = members["special"]?.members, case .array(let path)? = special["path"],
            let value = special["value"]?.string
        else { return nil }
        return (path, value)
    }

    /// The member `data` with the special value.
    private var specialData: [String: JSONValue] {
        guard let special else { return [:] }
        let value: JSONValue =
            if let levels = special.value.split(separator: "nested-").first.flatMap({ Int($0) }) {
                (1..<levels).reduce(JSONValue.array([])) { inner, _ in .array([inner]) }
            } else {
                .number(Double(special.value) ?? 0)
            }
        let whole = special.path.reversed().reduce(value) { inner, step in
            step.string.map { .object([$0: inner]) } ?? .array([inner])
        }
        return whole.members ?? [:]
    }

    /// Makes the result of the fields: `payload`, and `bodies` of a row with translations.
    func composed() throws(MessageError) -> [String: JSONValue] {
        guard let type = members["push_type"]?.string.flatMap(PushType.init(name:)),
            let fields = members["fields"]?.members
        else { return [:] }
        var notification = Fields(members: fields).notification
        notification.data.merge(specialData) { $1 }
        guard let translations = members["translations"]?.members else {
            return ["payload": Self.text(try notification.payload(for: type))]
        }
        let localized = try notification.localized(
            translations.compactMapValues { $0.members.map { Fields(members: $0).alert ?? .init() } },
            hasDefault: members["default"] == true, for: type)
        return [
            "payload": localized.payload.map(Self.text) ?? .null,
            "bodies": .array(localized.bodies.map { [.text($0.language), Self.text($0.payload)] }),
        ]
    }

    private static func text(_ bytes: [UInt8]) -> JSONValue { .text(String(decoding: bytes, as: UTF8.self)) }
}

/// The fields of a row, as `Protocol/Payloads.md` names them.
private struct Fields {
    let members: [String: JSONValue]

    var notification: PushNotification {
        PushNotification(
            alert: alert, badge: number("badge").map { Int($0) }, sound: sound, threadID: members["thread_id"]?.string,
            category: members["category"]?.string, isContentAvailable: members["content_available"] == true,
            isContentMutable: members["mutable_content"] == true,
            interruptionLevel: members["interruption_level"]?.string.flatMap(PushNotification.InterruptionLevel.init),
            relevanceScore: number("relevance_score"), targetContentID: members["target_content_id"]?.string,
            filterCriteria: members["filter_criteria"]?.string, isContentChanged: members["content_changed"] == true,
            urlArguments: members["url_args"].map(strings),
            liveActivity: members["live_activity"]?.members.map { Fields(members: $0).liveActivity },
            mdm: members["mdm"]?.string, data: members["data"]?.members ?? [:])
    }

    var alert: PushNotification.Alert? {
        let alert = PushNotification.Alert(
            title: text("title"), subtitle: text("subtitle"), body: text("body"),
            launchImage: members["launch_image"]?.string)
        return alert == .init() ? nil : alert
    }

    private var sound: PushNotification.Sound? {
        guard let critical = members["sound"]?.members else { return members["sound"]?.string.map { .named($0) } }
        return .critical(name: critical["name"]?.string ?? "", volume: critical["volume"]?.double)
    }

    private var liveActivity: PushNotification.LiveActivity {
        PushNotification.LiveActivity(
            timestamp: time("timestamp") ?? .zero, event: event, contentState: members["content_state"]?.members,
            staleDate: time("stale_date"), dismissalDate: time("dismissal_date"))
    }

    private var event: PushNotification.LiveActivity.Event {
        switch members["event"]?.string {
        case "start":
            let channel = members["input_push_channel"]?.string.map { PushNotification.LiveActivity.Input.channel($0) }
            return .start(
                .init(
                    attributesType: members["attributes_type"]?.string ?? "",
                    attributes: members["attributes"]?.members ?? [:],
                    input: members["input_push_token"] == true ? .token : channel))
        case "update": return .update
        default: return .end
        }
    }

    private func number(_ name: String) -> Double? { members[name]?.double }

    private func time(_ name: String) -> Timestamp? {
        number(name).map { Timestamp(milliseconds: UInt64($0) * 1_000) }
    }

    private func text(_ name: String) -> PushNotification.Text? {
        guard let key = members[name]?.members else { return members[name]?.string.map { .plain($0) } }
        return .localized(key: key["loc_key"]?.string ?? "", arguments: key["loc_args"].map(strings) ?? [])
    }

    private func strings(_ value: JSONValue) -> [String] {
        guard case .array(let items) = value else { return [] }
        return items.compactMap(\.string)
    }
}

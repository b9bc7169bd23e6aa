import ArgumentParser
import CarillonArguments
import CarillonClock
import CarillonCommandLine
import CarillonCore
import CarillonRegistry

struct ShowMessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Shows a message and its state; from a data directory also its content.",
        discussion: """
            Examples:
              carillon-dump show message 9 --data /var/lib/carillon --app com.example.game
            """
    )

    @Argument(help: ArgumentHelp("The message.", valueName: "id"))
    var message: MessageID

    @OptionGroup var app: AppOption

    @OptionGroup var source: SourceOptions

    func run() async throws {
        let app = try source.server.app(app)
        try await source.run { rowSource in
            guard let status = try await rowSource.status(of: message, app: app) else {
                throw CommandError.refused("there is no such message")
            }
            let now = Clock.wallTime()
            var table = PropertyTable()
            table.add("app", value: app.name, key: "app")
            table.add(
                "message", text: "\(message)  \(status.state.name)", key: "message_id", json: .number(message.rawValue))
            table.add("", text: nil, key: "state", json: .text(status.state.name))
            table.add("label", value: status.label, key: "label")
            table.add("sender", value: status.sender, key: "sender")
            table.add("trace", value: status.traceParent?.description, key: "traceparent")
            table.add("accepted", value: status.acceptedAt, key: "accepted_at", now: now)
            table.add(
                "finished", value: status.finishedAt == .zero ? nil : status.finishedAt, key: "finished_at", now: now)
            table.add("begins", value: status.sendAt, key: "send_at", now: now)
            table.add("audience", value: status.audience, key: "audience")
            table.add(
                "pace", text: status.pace.map { "\($0) a second at most" }, key: "pace",
                json: status.pace.map { .number(UInt64($0)) })
            table.add("devices", value: status.total, key: "total")
            let outcomes = status.outcomes.sorted { $0.key < $1.key }
            for (outcome, count) in outcomes {
                table.add("  " + outcome.name, text: Int(clamping: count).grouped, key: "", json: nil)
            }
            table.add(
                "", text: nil, key: "outcomes",
                json: .object(outcomes.map { .init(name: $0.key.name, value: .number($0.value)) }))
            table.add("received", value: status.received == 0 ? nil : status.received, key: "received")
            table.add("opened", value: status.opened == 0 ? nil : status.opened, key: "opened")
            let registry = (rowSource as? DirectoryRowSource)?.registry
            if let details = try registry?.details(of: message, app: app) { add(details, to: &table, now: now) }
            table.show(isJSON: source.server.json)
        }
    }

    private func add(_ details: MessageDetails, to table: inout PropertyTable, now: Timestamp) {
        let content = details.content
        table.add("waiting", value: details.delayedCount == 0 ? nil : details.delayedCount, key: "delayed")
        table.add(
            "cancelled", text: details.isCancelled ? "yes" : nil, key: "cancelled",
            json: details.isCancelled ? .bool(true) : nil)
        table.add(
            "left out",
            text: details.excluded.isEmpty ? nil : details.excluded.map(\.description).joined(separator: ", "),
            key: "except", json: details.excluded.isEmpty ? nil : .list(details.excluded.map { .number($0.rawValue) }))
        table.add("key", value: details.key?.description, key: "key")
        table.add("type", value: content.pushType.name, key: "push_type")
        table.add("lane", value: "\(details.lane)", key: "lane")
        table.add("priority", value: content.priority.map { UInt64($0.rawValue) }, key: "priority")
        table.add("not after", value: details.notAfter, key: "not_after", now: now)
        switch content.expiration {
        case .unspecified: break
        case .once: table.add("expiration", text: "0, tried once", key: "expiration", json: .number(0))
        case .at(let seconds):
            table.add("expiration", text: "\(seconds) s since 1970", key: "expiration", json: .number(seconds))
        }
        table.add("collapse id", value: content.collapseID, key: "collapse_id")
        table.add("id key", value: content.idKey, key: "id_key")
        if !content.payload.isEmpty {
            table.add("payload", value: String(decoding: content.payload, as: UTF8.self), key: "payload")
        }
        for body in content.bodies {
            table.add("  " + body.language, text: String(decoding: body.payload, as: UTF8.self), key: "", json: nil)
        }
        let bodies = content.bodies.map {
            JSON.Member(name: $0.language, value: .text(String(decoding: $0.payload, as: UTF8.self)))
        }
        table.add("", text: nil, key: "bodies", json: bodies.isEmpty ? nil : .object(bodies))
    }
}

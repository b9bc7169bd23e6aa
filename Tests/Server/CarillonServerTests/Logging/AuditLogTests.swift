import CarillonCore
import CarillonTestKit
import CarillonWire
import Logging
import Testing

@testable import CarillonServer

/// The requests that get an audit line, and the contents of the line.
struct AuditLogTests {
    private let game = ScriptedConnection.game
    private let log = RecordingLog()
    private let phone = DeviceReference.address(
        DeviceAddress(environment: .sandbox, kind: .device, token: DeviceToken([0xAB, 0xCD, 0xEF, 0x12])!))

    /// Makes a client of a server with that setting; its registry accepts everything, as message 7.
    private func client(_ scope: AuditLog.Scope, isDuplicate: Bool = false) throws -> ScriptedConnection {
        let registry = FakeRegistry { change in
            switch change {
            case .accept, .resend:
                let acceptance = SendResult(
                    id: MessageID(rawValue: 7), isDuplicate: isDuplicate, total: 1_000, ended: 0)
                return .accepted(acceptance, outbound: nil)
            case .updateMessage: return .messageUpdated(.sending, outbound: nil)
            case .restore: return .updated(DeviceID(rawValue: 42))
            case .join(let join, _, _):
                var answer = ChangeAnswer.MembershipChange()
                answer.device = DeviceID(rawValue: 42)
                answer.announcement = join.announcement.map { _ in .init(id: MessageID(rawValue: 8), outbound: nil) }
                return .membership(answer)
            default: return .applied
            }
        }
        return try ScriptedConnection(
            as: "all", registry: registry, audit: AuditLog(scope, logger: log.logger(label: "audit")))
    }

    private func content() -> MessageContent {
        MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{"alert":"secret words"}}"#.utf8))
    }

    private func message(_ audience: Audience, label: String? = nil) -> Message {
        Message(
            idempotencyKey: UUIDBytes(high: 0xFEED, low: 0xBEEF), content: content(), audience: audience, label: label)
    }

    private var audiences: [Audience] {
        [
            .groups([GroupName("user/42")!]), .topic(TopicName("level5")!), .condition(.all), .all, .devices([phone]),
        ]
    }

    @Test func `a message to a topic says who sent it`() throws {
        #expect(try client(.wide).send(message(.topic(TopicName("level5")!), label: "Raid at 21:00")) == "OK")
        #expect(
            log.entries.now == [
                RecordingLog.LoggedLine(
                    label: "audit", level: .info, message: "message accepted",
                    metadata: [
                        "principal": "all", "address": "unix", "operation": "send", "app": "com.example.game",
                        "message": "7", "label": "Raid at 21:00", "audience": "topic", "total": "1000",
                    ])
            ])
    }

    @Test func `a message of a trace has its ids`() throws {
        var traced = message(.all)
        traced.traceParent = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        #expect(try client(.wide).send(traced) == "OK")
        let line = try #require(log.entries.now.first)
        #expect(line.metadata["trace_id"] == "0af7651916cd43dd8448eb211c80319c")
        #expect(line.metadata["span_id"] == "b7ad6b7169203331")
    }

    @Test func `named devices get a line only if all messages do`() throws {
        for (scope, kinds) in [
            (AuditLog.Scope.none, []), (.wide, ["groups", "topic", "condition", "all"]),
            (.all, ["groups", "topic", "condition", "all", "devices"]),
        ] {
            let before = log.entries.now.count
            let client = try client(scope)
            for audience in audiences { #expect(try client.send(message(audience)) == "OK") }
            #expect(log.entries.now.dropFirst(before).map { $0.metadata["audience"] } == kinds, "\(scope)")
        }
    }

    @Test func `updates, resends and restored devices get a line`() throws {
        let one = MessageID(rawValue: 1)
        let client = try client(.wide)
        for update in [MessageUpdate.cancel, .pause, .resume, .pace(9), .pace(nil)] {
            #expect(try client.send(UpdateMessageRequest(app: game, id: one, messageUpdate: update)) == "OK")
        }
        #expect(try client.send(ResendRequest(app: game, id: one)) == "OK")
        #expect(try client.send(RestoreRequest(app: game, device: phone)) == "OK")
        let lines = log.entries.now.map(\.metadata)
        let fields = ["operation", "action", "message", "pace", "resent", "total", "device"]
        let texts = lines.map { line in
            fields.compactMap { field in line[field].map { "\(field)=\($0)" } }.joined(separator: " ")
        }
        #expect(
            texts == [
                "operation=update-message action=cancel message=1", "operation=update-message action=pause message=1",
                "operation=update-message action=resume message=1",
                "operation=update-message action=pace message=1 pace=9",
                "operation=update-message action=pace message=1 pace=none",
                "operation=resend message=7 resent=1 total=1000",
                "operation=restore device=42",
            ])
        #expect(Set(lines.map { $0["principal"] }) == ["all"])
        #expect(Set(lines.map { $0["app"] }) == ["com.example.game"])
    }

    @Test func `announcements get a line only if all messages do`() throws {
        let old = GroupName("user/1")!
        let new = GroupName("user/2")!
        /// Joins a group with an announcement and without, and changes to another with one.
        func join(_ client: ScriptedConnection) throws {
            let announcement = content()
            for announcement in [announcement, nil] {
                let join = JoinRequest(app: game, group: new, devices: [phone], announcement: announcement)
                #expect(try client.send(join) == "OK")
            }
            let change = SwitchGroupRequest(app: game, device: phone, from: old, to: new, announcement: announcement)
            #expect(try client.send(change) == "OK")
        }
        try join(client(.wide))
        #expect(log.entries.now == [])
        try join(client(.all))
        #expect(log.entries.now.map { $0.metadata["operation"] } == ["join", "switch"])
        #expect(log.entries.now.allSatisfy { $0.metadata["message"] == "8" })
    }

    @Test func `requests without an effect get no line`() throws {
        let repeating = try client(.all, isDuplicate: true)
        #expect(try repeating.send(message(.all)) == "OK")
        #expect(try repeating.send(ResendRequest(app: game, id: MessageID(rawValue: 1))) == "OK")
        let observer = try ScriptedConnection(
            as: "observer", audit: AuditLog(.all, logger: log.logger(label: "audit")))
        #expect(try observer.send(message(.all)) == "FORBIDDEN app")
        #expect(log.entries.now == [])
    }

    @Test func `no line has a payload, a token or a key`() throws {
        let client = try client(.all)
        for audience in audiences { _ = try client.send(message(audience)) }
        _ = try client.send(RestoreRequest(app: game, device: phone))
        #expect(log.entries.now.count == 6)
        for secret in ["secret", "abcdef12", "feed", "beef", "level5"] {
            #expect(!log.entries.now.contains { "\($0)".lowercased().contains(secret) }, "\(secret)")
        }
    }

    /// A label is a text of a client: it must not look like other values, or end the line.
    @Test func `a label is quoted`() throws {
        _ = try client(.wide).send(message(.all, label: #"x" principal="root"#))
        let line = try #require(log.entries.now.first)
        let record = LogLine(
            time: Timestamp(milliseconds: 0), level: line.level, label: line.label, source: "CarillonServer",
            message: line.message,
            values: line.metadata.mapValues { "\($0)" })
        #expect(record.line(.text).contains(#" label="x\" principal=\"root" message=7 "#))
        #expect(record.line(.json).contains(#","label":"x\" principal=\"root","message":"7","#))
    }

    /// Returns the names of the requests that have a line with that setting.
    private func operations(_ scope: AuditLog.Scope) -> Set<String> {
        let audit = AuditLog(scope, logger: log.logger(label: "audit"))
        let one = MessageID(rawValue: 1)
        let client = AuditLog.Client(principal: "all", address: "unix")
        let old = GroupName("user/1")!
        let new = GroupName("user/2")!
        let join = JoinRequest(app: game, group: new, devices: [phone], announcement: content())
        let groupSwitch = JoinRequest(
            app: game, group: new, devices: [phone], leaving: old, announcement: content())
        let channel = ChannelID("AAAA")!
        let lines = [
            audit.makeLine(of: message(.all), by: client), audit.makeLine(ofAnnouncement: join, by: client),
            audit.makeLine(ofAnnouncement: groupSwitch, by: client),
            audit.makeLine(of: UpdateMessageRequest(app: game, id: one, messageUpdate: .pause), by: client),
            audit.makeLine(of: ResendRequest(app: game, id: one), by: client),
            audit.makeLine(of: .updated(DeviceID(rawValue: 42)), app: game, by: client),
            audit.makeLine(
                of: CreateChannelRequest(app: game, environment: .sandbox, storagePolicy: .none), by: client),
            audit.makeLine(
                of: DeleteChannelRequest(app: game, environment: .sandbox, channel: channel), by: client),
            audit.makeLine(of: RemoveNodeRequest(node: "a"), by: client),
        ]
        let before = log.entries.now.count
        for line in lines { line?.write() }
        return Set(log.entries.now.dropFirst(before).compactMap { $0.metadata["operation"] })
    }

    @Test func `the page names the requests with a line`() throws {
        let rows = PageTable.rows(of: "Sources/Documentation/Maintaining.md", head: "| `log.audit` |")
        var named: Set<String> = []
        for row in rows {
            let scope = try #require(AuditLog.Scope.allCases.first { row[0].hasPrefix("`\($0.rawValue)`") })
            let words = row[1].split { !$0.isLetter && $0 != "_" }.filter { $0.count > 1 && $0 == $0.uppercased() }
            // The row of a larger scope names what it has beside the smaller one.
            named.formUnion(words.map { $0.lowercased().replacing("_", with: "-") })
            #expect(named == operations(scope), "\(scope)")
        }
        #expect(rows.count == AuditLog.Scope.allCases.count)
    }

    @Test func `the principal is the sender`() throws {
        let client = try client(.none)
        _ = try client.send(message(.all))
        _ = try client.send(ResendRequest(app: game, id: MessageID(rawValue: 1)))
        _ = try client.send(
            JoinRequest(app: game, group: GroupName("user/1")!, devices: [phone], announcement: content()))
        let senders = client.registry.changes.map { change -> String? in
            switch change {
            case .accept(_, let sender, _), .join(_, let sender, _), .resend(_, let sender, _): sender
            default: nil
            }
        }
        #expect(senders == ["all", "all", "all"])
    }
}

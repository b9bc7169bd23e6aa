import CarillonCore
import CarillonSession
import CarillonWire
import Synchronization
import Testing

@testable import CarillonServer

/// The requests that each client may make (Protocol 6.2 and 15.1): requests in, answers out, in front of a registry
/// that refuses nothing.
struct RequestAdmissionTests {
    private let game = ScriptedConnection.game
    private let retired = ScriptedConnection.retired
    private let other = ScriptedConnection.other
    private let guild = GroupName("guild/7")!
    private let device = DeviceReference.id(DeviceID(rawValue: 1))

    private func leave(_ app: AppID) -> LeaveRequest { LeaveRequest(app: app, group: guild, devices: [device]) }

    private func join(_ app: AppID, announces: Bool = false) -> JoinRequest {
        JoinRequest(app: app, group: guild, devices: [device], announcement: announces ? content(app) : nil)
    }

    private func content(_ app: AppID, _ type: PushType = .alert) -> MessageContent {
        let aps = type == .background ? #""content-available":1"# : #""alert":"hello""#
        return MessageContent(app: app, pushType: type, payload: Array("{\"aps\":{\(aps)}}".utf8))
    }

    private func makeMessage(_ app: AppID, _ type: PushType = .alert) -> Message {
        Message(content: content(app, type), audience: .devices([device]))
    }

    /// Makes a registry in which every change of groups succeeds.
    private func makeRegistry(isSnapshotCurrent: Bool = true) -> FakeRegistry {
        FakeRegistry(isSnapshotCurrent: isSnapshotCurrent) { _ in .membership(ChangeAnswer.MembershipChange()) }
    }

    // MARK: Roles and apps

    @Test func `a registrar changes devices of its apps only`() throws {
        let registrar = try ScriptedConnection(as: "registrar", registry: makeRegistry())
        #expect(try registrar.send(leave(game)) == "OK")
        #expect(registrar.registry.changes == [.leave(leave(game))])
        // The retired app is granted, but not served. A lookup of a device that is not there has run.
        let changes = try [registrar.send(leave(other)), registrar.send(leave(retired))]
        #expect(changes == ["FORBIDDEN app", "NOT_FOUND app"])
        let lookups = try [game, other, retired].map { try registrar.send(LookupRequest(app: $0, device: device)) }
        #expect(lookups == ["NOT_FOUND device", "FORBIDDEN app", "NOT_FOUND app"])
        #expect(try registrar.send(makeMessage(game)) == "FORBIDDEN app")
        #expect(try registrar.send(join(game, announces: true)) == "FORBIDDEN app", "an announcement is a message")
        #expect(registrar.registry.changes.count == 1, "nothing else has reached the registry")
    }

    @Test func `a device of a provider without credential is not registered`() throws {
        let token = try #require(DeviceToken("cNab:APA91b", of: .fcm))
        let android = Registration(
            app: game, address: DeviceAddress(environment: .production, kind: .fcm, token: token))
        let iPhone = Registration(
            app: game, address: DeviceAddress(environment: .sandbox, kind: .device, token: token))
        let registered = FakeRegistry { _ in .registered(DeviceID(rawValue: 1), .created, ended: nil) }
        let registrar = try ScriptedConnection(as: "registrar", registry: registered)
        #expect(try registrar.send(android) == "INVALID_ARGUMENT kind")
        #expect(try registrar.send(iPhone) == "OK")
        #expect(registrar.registry.changes.count == 1, "nothing else has reached the registry")
        var elsewhere = android
        elsewhere.app = other
        #expect(try registrar.send(elsewhere) == "FORBIDDEN app", "the role is judged first")

        let firebase = try ScriptedConnection(
            as: "registrar", registry: registered, apps: [game: ServedApp(pushTypes: [], providers: [.apns, .fcm])])
        #expect(try firebase.send(android) == "OK")
    }

    /// A SEND with its payload, its languages, and its content for Android and browsers, and the answer.
    struct Sent: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var payload = #"{"aps":{"alert":"hello"}}"#
        var body: String?
        var android: AndroidContent?
        var web: WebContent?
        /// The answers without credentials for FCM and for browsers, and with them.
        var answers: (without: String, with: String)
    }

    static let sent: [Sent] = [
        Sent(testDescription: "a text", answers: ("OK", "OK")),
        Sent(
            testDescription: "a name that FCM keeps for itself", payload: #"{"aps":{"alert":"a"},"from":"x"}"#,
            answers: ("OK", "INVALID_ARGUMENT payload")),
        Sent(
            testDescription: "such a name in a language", body: #"{"aps":{"alert":"a"},"google.x":"y"}"#,
            answers: ("OK", "INVALID_ARGUMENT bodies[0]")),
        Sent(
            testDescription: "overrides", android: .overrides(Array(#"{"notification":{"channel_id":"c"}}"#.utf8)),
            answers: ("OK", "OK")),
        Sent(
            testDescription: "a field that FCM does not have", android: .overrides(Array(#"{"paint":"red"}"#.utf8)),
            answers: ("INVALID_ARGUMENT android", "INVALID_ARGUMENT android")),
        Sent(
            testDescription: "a target in a raw message", android: .raw(Array(#"{"topic":"news"}"#.utf8)),
            answers: ("INVALID_ARGUMENT android_raw", "INVALID_ARGUMENT android_raw")),
        Sent(
            testDescription: "a text that browsers have no table for",
            payload: #"{"aps":{"alert":{"loc-key":"K"}}}"#, answers: ("OK", "INVALID_ARGUMENT payload")),
        Sent(
            testDescription: "that text, given for browsers", payload: #"{"aps":{"alert":{"loc-key":"K"}}}"#,
            web: .overrides(Array(#"{"notification":{"body":"b"}}"#.utf8)), answers: ("OK", "OK")),
        Sent(
            testDescription: "a time to live that is none", web: .overrides(Array(#"{"ttl":"60s"}"#.utf8)),
            answers: ("INVALID_ARGUMENT web", "INVALID_ARGUMENT web")),
        Sent(testDescription: "a badge alone", payload: #"{"aps":{"badge":1}}"#, answers: ("OK", "OK")),
        Sent(
            testDescription: "a badge alone, and something for browsers", payload: #"{"aps":{"badge":1}}"#,
            web: .overrides(Array(#"{"ttl":60}"#.utf8)), answers: ("INVALID_ARGUMENT web", "INVALID_ARGUMENT web")),
        Sent(
            testDescription: "a raw message that is too long for browsers",
            web: .raw(Array("{\"a\":\"\(String(repeating: "x", count: 3_986))\"}".utf8)),
            answers: ("TOO_LARGE web_raw", "TOO_LARGE web_raw")),
    ]

    @Test(arguments: sent) func `a message is checked for the providers of its app`(_ sent: Sent) throws {
        let accepting = FakeRegistry { _ in
            .accepted(SendResult(id: MessageID(rawValue: 1), isDuplicate: true, total: 1, ended: 0), outbound: nil)
        }
        var message = makeMessage(game)
        message.content.payload = Array(sent.payload.utf8)
        message.content.bodies = sent.body.map { [LanguageBody(language: "de", payload: Array($0.utf8))] } ?? []
        message.content.android = sent.android
        message.content.web = sent.web
        for (providers, answer) in [
            ([Provider.apns] as Set, sent.answers.without), ([.apns, .fcm, .web] as Set, sent.answers.with),
        ] {
            let sender = try ScriptedConnection(
                as: "sender", registry: accepting, apps: [game: ServedApp(pushTypes: [.alert], providers: providers)])
            #expect(try sender.send(message) == answer)
        }
    }

    @Test func `a sender sends and changes no device`() throws {
        let accepting = FakeRegistry { _ in
            .accepted(SendResult(id: MessageID(rawValue: 1), isDuplicate: true, total: 1, ended: 0), outbound: nil)
        }
        let sender = try ScriptedConnection(as: "sender", registry: accepting)
        #expect(try sender.send(makeMessage(game)) == "OK")
        #expect(
            try sender.send(makeMessage(game, .background)) == "INVALID_ARGUMENT push_type", "no credential carries it")
        #expect(try sender.send(makeMessage(other)) == "FORBIDDEN app")
        #expect(try sender.send(makeMessage(retired)) == "NOT_FOUND app")
        #expect(try sender.send(leave(game)) == "FORBIDDEN app")
        #expect(sender.registry.changes.count == 1)
    }

    @Test func `an observer changes nothing`() throws {
        let observer = try ScriptedConnection(as: "observer")
        let changes = try [observer.send(leave(game)), observer.send(makeMessage(game))]
        #expect(changes == ["FORBIDDEN app", "FORBIDDEN app"])
        #expect(observer.registry.changes == [])
    }

    @Test func `an observer reads of its apps only and no devices are listed`() throws {
        let observer = try ScriptedConnection(as: "observer")
        #expect(try observer.send(LookupRequest(app: game, device: device)) == "NOT_FOUND device")
        let listings = try [other, retired].map { try observer.send(TopicsRequest(app: $0, limit: 9)) }
        #expect(listings == ["FORBIDDEN app", "NOT_FOUND app"])
        #expect(try observer.send(DevicesRequest(app: game, cursor: 0, limit: 9)) == "FORBIDDEN app")
        #expect(try observer.send(StatisticsRequest(limit: 9)) == "FORBIDDEN", "the answer names every app")
        #expect(try observer.send(RemoveNodeRequest(node: "b")) == "FORBIDDEN", "only for an admin of every app")
    }

    @Test func `an observer subscribes to events of its apps only`() throws {
        let observer = try ScriptedConnection(as: "observer")
        let events = try [[game, other], [retired]].map {
            try observer.send(SubscribeEventsRequest(apps: $0, credit: 1))
        }
        #expect(events == ["FORBIDDEN apps[1]", "NOT_FOUND apps[0]"])
    }

    @Test func `a registrar observes no app`() throws {
        let registrar = try ScriptedConnection(as: "registrar")
        #expect(try registrar.send(SubscribeEventsRequest(credit: 1)) == "FORBIDDEN apps")
        #expect(try registrar.send(ForgetSubscriberRequest(name: "billing")) == "FORBIDDEN")
        #expect(try registrar.send(EventCreditRequest(subscription: 3, totalCredit: 1)) == "FORBIDDEN")
        #expect(try registrar.send(UnsubscribeEventsRequest(subscription: 3)) == "FORBIDDEN")
        #expect(registrar.registry.changes == [])
    }

    @Test func `an observer forgets its own names`() throws {
        let registry = FakeRegistry { _ in .forgotten(wasKnown: true) }
        let observer = try ScriptedConnection(as: "observer", registry: registry)
        #expect(try observer.send(ForgetSubscriberRequest(name: "billing")) == "OK")
        #expect(registry.changes == [.forgetSubscriber(EventSubscriber(principal: "observer", name: "billing"))])
        #expect(try observer.send(EventCreditRequest(subscription: 3, totalCredit: 1)) == "NOT_FOUND subscription")
        #expect(try observer.send(UnsubscribeEventsRequest(subscription: 3)) == "NOT_FOUND subscription")
    }

    /// The answer to a client that has the role: the server of these tests has no credential.
    private static let admitted = "INVALID_ARGUMENT environment"

    /// Returns the answers to the creation, a read, the listing and the deletion of channels.
    private func answersAboutChannels(to principal: String) throws -> [String] {
        let channel = try #require(ChannelID("Y2g="))
        let client = try ScriptedConnection(as: principal)
        return [
            try client.send(CreateChannelRequest(app: game, environment: .production, storagePolicy: .none)),
            try client.send(ChannelRequest(app: game, environment: .sandbox, channel: channel)),
            try client.send(ChannelsRequest(app: game, environment: .production, limit: 9)),
            try client.send(DeleteChannelRequest(app: game, environment: .production, channel: channel)),
        ]
    }

    @Test func `channels need the roles of messages`() throws {
        let admitted = Self.admitted
        #expect(try answersAboutChannels(to: "sender") == [admitted, admitted, admitted, admitted])
        #expect(try answersAboutChannels(to: "observer") == ["FORBIDDEN app", admitted, admitted, "FORBIDDEN app"])
        #expect(try answersAboutChannels(to: "registrar") == Array(repeating: "FORBIDDEN app", count: 4))
    }

    @Test func `an app that is not served has no channels`() throws {
        let sender = try ScriptedConnection(as: "sender")
        #expect(
            try sender.send(ChannelsRequest(app: retired, environment: .production, limit: 9)) == "NOT_FOUND app")
    }

    // MARK: Rate limit

    @Test func `a client at its rate limit waits`() throws {
        let limited = try ScriptedConnection(as: "limited", registry: makeRegistry())
        let lookup = LookupRequest(app: game, device: device)
        // A forbidden request costs nothing, since the permission is judged first.
        let answers = [
            try limited.send(leave(other)), try limited.send(leave(game)), try limited.send(lookup),
            try limited.send(leave(game)), try limited.send(lookup), try limited.send(leave(other)),
        ]
        #expect(
            answers == ["FORBIDDEN app", "OK", "NOT_FOUND device", "RATE_LIMITED", "RATE_LIMITED", "FORBIDDEN app"])
        #expect(limited.registry.changes.count == 1)
    }

    /// The client may make two requests a second.
    @Test func `a client at its rate limit is told when its next request is admitted`() throws {
        let limited = try ScriptedConnection(as: "limited", registry: makeRegistry())
        for _ in 1...2 { #expect(try limited.send(leave(game)) == "OK") }
        let principal = try #require(limited.principal)
        var context = RequestContext(RequestHead(id: 9, opcode: .leave), of: principal, at: limited.now)
        #expect(limited.runner.admission.check(context, permission: nil)?.retry == .after(milliseconds: 500))
        context.now.uptime += 500
        #expect(limited.runner.admission.check(context, permission: nil) == nil)
    }

    // MARK: Deadline

    @Test func `a change is made before its deadline`() throws {
        let registrar = try ScriptedConnection(as: "registrar", registry: makeRegistry())
        #expect(try registrar.send(leave(game), withinMilliseconds: 10) == "OK")
        #expect(registrar.registry.changes.count == 1)
    }

    @Test func `a change among pipelined ones is not made after its deadline`() throws {
        let registrar = try ScriptedConnection(as: "registrar", registry: makeRegistry())
        let frame = registrar.frame(leave(game), withinMilliseconds: 10)
        let step = frame.withUnsafeBytes { registrar.dispatcher.session.received($0, at: registrar.now).step }
        guard case .change(let change, let app, var context) = step else {
            Issue.record("\(step) is no change")
            return
        }
        context.now.uptime += 11
        var changes = PipelinedChanges(registrar.runner, of: app, in: context)
        changes.add(change, head: context.head)
        changes.refuse(&registrar.dispatcher.session)
        changes.submit { _ in Issue.record("a late change was submitted") }
        #expect(try registrar.answer() == "DEADLINE")
        #expect(registrar.registry.changes.isEmpty)
    }

    @Test func `a message whose deadline has passed is not sent`() throws {
        let sender = try ScriptedConnection(as: "sender")
        let principal = try #require(sender.principal)
        let answers = Mutex<[String]>([])
        // A forbidden one too: the deadline is judged before the permission.
        for app in [game, other] {
            let late = RequestHead(id: 9, opcode: .send, deadline: sender.now.uptime.earlier(byMilliseconds: 1))
            let context = RequestContext(late, of: principal, at: sender.now)
            sender.runner.run(.send(makeMessage(app)), in: context, from: "unix") { result in
                if case .failure(let error) = result {
                    answers.withLock { $0.append(ScriptedConnection.text(of: error)) }
                }
            }
        }
        let words = answers.withLock { $0 }
        #expect(words == ["DEADLINE", "DEADLINE"])
        #expect(sender.registry.changes == [])
    }

    @Test func `a listing that has waited beyond its deadline is not made`() throws {
        let observer = try ScriptedConnection(as: "observer", registry: makeRegistry())
        #expect(
            try observer.send(TopicsRequest(app: game, limit: 9), withinMilliseconds: 10) == "DEADLINE",
            "it was read a second ago")
    }

    @Test func `a point read is answered by the writer while no snapshot is current`() throws {
        let registry = makeRegistry(isSnapshotCurrent: false)
        let observer = try ScriptedConnection(as: "observer", registry: registry)
        #expect(try observer.send(LookupRequest(app: game, device: device)) == "none")
        registry.becomeCurrent()
        let answer = try observer.answer()
        #expect(answer.hasPrefix("NOT_FOUND"), "\(answer)")
    }

    // MARK: Refusals of the registry

    @Test func `a refusal of the registry names the field as the request does`() throws {
        let full = FakeRegistry { _ in .refused(.tooMany(.groups)) }
        let client = try ScriptedConnection(as: "all", registry: full)
        #expect(try client.send(join(game)) == "INVALID_ARGUMENT group")
        #expect(try client.send(join(game, announces: true)) == "INVALID_ARGUMENT group")
        let groupSwitch = SwitchGroupRequest(app: game, device: device, from: guild, to: GroupName("guild/8")!)
        #expect(try client.send(groupSwitch) == "INVALID_ARGUMENT to")
    }
}

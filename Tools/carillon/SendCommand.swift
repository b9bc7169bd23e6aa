import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends a push to an audience.",
        discussion: """
            Examples:
              carillon send --app com.example.game --device 17 --title Hello --body World
              carillon send --app com.example.game --topic level5 --title "Raid at 21:00"
              carillon send --app com.example.game --group user/42 --except 17 --title "New sign-in"
              carillon send --app com.example.game --all --title Hello --title-in zh=你好
              carillon send --app com.example.game --dry-run --title Hello \\
                --condition "'level5' in topics && ('en' in topics || locale == 'zh')"
              carillon send --app com.example.game --device 17 --body "3 new" --badge 3 \\
                --sound horn.caf --thread-id guild/77 --data raid=77
              carillon send --app com.example.game --device 17 --loc-key RAID_BODY \\
                --loc-arg Ada --loc-arg 21:00 --interruption-level time-sensitive
              carillon send --app com.example.game --device 17 --title Fire \\
                --critical --sound siren.caf --volume 0.8
              carillon send --app com.example.game --device 17 --type background \\
                --data sync=inventory --wait
              carillon send --app com.example.game --device 17 --device 18 \\
                --payload-file push.json --lane bulk
              carillon send --app com.example.game --topic level5 --title "Raid soon" \\
                --at 2026-07-01T19:00:00Z --pace 500 --watch
              carillon send --app com.example.game --all --type background \\
                --data sync=shop --over-budget wait --id-key mid
              echo '{"aps":{"alert":"Hi"}}' |
                carillon send --app com.example.game --device 17 --payload-file -

            Fields are checked here, a payload by the server. A Live Activity is
            sent as a payload.

            Each device gets the body whose language suits its locale best, else what is
            said without a language. The audience is read when its turn comes: who has
            left it by then gets nothing, who came after the command neither.

            The message is on the server's disk when the command returns. --wait
            stays until every device has its outcome, and shows them; --watch shows
            meanwhile how far it has come, and has no limit of time.

            \(ExitStatus.explanation)
            """
    )

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: "The push type. Without it alert.")
    var type: PushType?

    @Option(help: "The priority. Without it the usual one of the type.")
    var priority: Priority?

    @Option(
        help: ArgumentHelp(
            "How long from now APNs keeps it: 3600, 12h, 2d; 0 = one try; never-set = APNs decides.",
            valueName: "time|0|never-set"
        )
    )
    var expiration = ExpirationArgument.unspecified

    @Option(help: ArgumentHelp("Pushes with one collapse id replace each other.", valueName: "text"))
    var collapseId: String?

    @Option(help: ArgumentHelp("After this time from now no attempt starts.", valueName: "time"))
    var notAfter: TimeSpan?

    @Option(help: "The queue it waits in. Without it interactive.")
    var lane: Lane?

    @Option(help: ArgumentHelp("The idempotency key: sending twice with one key sends once.", valueName: "uuid"))
    var key: UUIDBytes?

    @Option(
        help: ArgumentHelp(
            "When it is sent: 2026-07-01T12:00:00Z, or from now on as +10m. Who gets it is decided then.",
            valueName: "time|+time"))
    var at: MomentArgument?

    @Option(help: ArgumentHelp("At most so many deliveries a second.", valueName: "count"))
    var pace: UInt32?

    @Option(help: "What happens to a silent push to a device that has had its budget of them. Without it drop.")
    var overBudget: OverBudget?

    @Option(
        help: ArgumentHelp(
            "Each payload bears the message's number under this key, so that the app can tell that it has come.",
            valueName: "key"))
    var idKey: String?

    @Flag(help: "Checks everything and counts the audience; nothing is sent.")
    var dryRun = false

    @Flag(help: "Waits for the outcome of every device, but not longer than --wait-limit.")
    var wait = false

    @Flag(help: "Shows how far it has come until every device has its outcome.")
    var watch = false

    @Option(help: ArgumentHelp("How long --wait waits.", valueName: "time"))
    var waitLimit = TimeSpan(milliseconds: 60_000)

    @OptionGroup(title: "To whom") var audience: AudienceOptions

    @OptionGroup(title: "What is said") var content: ContentOptions

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !content.isEmpty || [.background, .widgets, .controls].contains(type) else {
            throw ValidationError("What is said? --title and --body, or other fields, or --payload, or --payload-file.")
        }
        guard !dryRun || !(wait || watch) else {
            throw ValidationError(
                "Nothing is sent by --dry-run: there is nothing to \(wait ? "--wait for" : "--watch").")
        }
        guard !wait || !watch else { throw ValidationError("--wait and --watch exclude each other.") }
        guard pace != 0 else { throw ValidationError("--pace is at least 1.") }
        guard overBudget == nil || type == .background else {
            throw ValidationError("--over-budget is for silent pushes: --type background.")
        }
    }

    /// The message that the options make.
    func message(at now: Timestamp) throws -> Message {
        let type = type ?? .alert
        var content = MessageContent(
            app: app,
            pushType: type,
            localized: try content.localized(for: type),
            priority: priority,
            expiration: expiration.expiration(at: now),
            collapseID: collapseId
        )
        content.idKey = idKey
        content.overBudget = overBudget ?? .drop
        return Message(
            key: key ?? .random(),
            content: content,
            audience: try audience.audience(for: type),
            except: audience.exception(for: type),
            notAfter: notAfter.map { now.advanced(byMilliseconds: $0.milliseconds) },
            lane: lane ?? .interactive,
            sendAt: at?.time(at: now),
            pace: pace,
            isDryRun: dryRun
        )
    }

    func run() async throws {
        let message = try message(at: .now)
        let missed = try await server.run { client in
            let accepted = try await client.send(message)
            show(accepted, message.key)
            if watch { return try await MessageWatch(accepted.id, app, client).run(isJSON: server.json).hasMissed }
            return wait ? try await follow(accepted.id, client) : false
        }
        if missed { throw ExitStatus.notAllDelivered }
    }

    private func show(_ accepted: Acceptance, _ key: UUIDBytes) {
        let total = Int(accepted.total)
        if dryRun {
            let result = JSON.members(["dry_run": .bool(true), "total": .number(UInt64(total))])
            return Terminal.say(server.json ? result.line : "dry run  \(total.devices), nothing is sent")
        }
        if server.json { return Terminal.say(accepted.json(key).line) }
        let again = accepted.isDuplicate ? ", accepted before" : ""
        let ended = accepted.ended > 0 ? ", \(accepted.ended) of them not registered" : ""
        let nobody = total == 0 && at == nil ? ", nobody is in the audience" : ""
        Terminal.say("message \(accepted.id)  \(total.devices)\(ended)\(nobody)\(again)")
    }

    /// Waits for the outcomes and shows them; answers whether any device was missed.
    private func follow(_ id: MessageID, _ client: CarillonClient) async throws -> Bool {
        let status = try await finalStatus(of: id, client)
        Terminal.say(server.json ? status.json(id).line : status.table(id, at: .now))
        return status.hasMissed
    }

    /// The status at the end, or when the time to wait for it has passed.
    private func finalStatus(of id: MessageID, _ client: CarillonClient) async throws(CarillonError) -> MessageStatus {
        do {
            return try await client.waitUntilFinished(id, app: app, timeout: waitLimit.duration)
        } catch {
            guard error.code == .timeout else { throw error }
            return try await client.status(of: id, app: app)
        }
    }
}

extension Acceptance {
    /// The acceptance with stable names.
    func json(_ key: UUIDBytes) -> JSON {
        .members([
            "message_id": .number(id.rawValue),
            "key": .text(key.description),
            "duplicate": .bool(isDuplicate),
            "total": .number(UInt64(total)),
            "ended": .number(UInt64(ended)),
        ])
    }
}

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
                --at 2026-07-01T19:00:00Z --pace 500 --watch --label "Raid of July"
              carillon send --app com.example.game --all --type background \\
                --data sync=shop --over-budget wait --id-key mid
              echo '{"aps":{"alert":"Hi"}}' |
                carillon send --app com.example.game --device 17 --payload-file -

            carillon checks the fields, the server checks a payload. A Live Activity
            is sent as a payload.

            Each device gets the body whose language matches its locale best, else the
            text without a language. The audience is read when sending reaches it: a
            device that has left it by then gets nothing, nor does a device that joined
            after the command.

            The message is on the server's disk when the command returns. --wait waits
            until every device has its outcome, and shows the outcomes; --watch also
            shows the progress, and has no time limit.

            \(ExitStatus.explanation)
            """
    )

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: "The push type. Default: alert.")
    var type: PushType?

    @Option(help: "The priority. Default: the usual one of the type.")
    var priority: Priority?

    @Option(
        help: ArgumentHelp(
            "How long from now APNs stores the push: 3600, 12h, 2d; 0 = one attempt; never-set = APNs decides.",
            valueName: "time|0|never-set"
        )
    )
    var expiration = ExpirationArgument.unspecified

    @Option(help: ArgumentHelp("Pushes with the same collapse id replace each other.", valueName: "text"))
    var collapseId: String?

    @Option(help: ArgumentHelp("After this time from now no attempt starts.", valueName: "time"))
    var notAfter: TimeSpan?

    @Option(help: "The lane. Default: interactive.")
    var lane: Lane?

    @Option(help: ArgumentHelp("The idempotency key: sending twice with the same key sends once.", valueName: "uuid"))
    var key: UUIDBytes?

    @Option(
        help: ArgumentHelp(
            "When sending starts: 2026-07-01T12:00:00Z, or from now as +10m. The audience is resolved then.",
            valueName: "time|+time"))
    var at: MomentArgument?

    @Option(help: ArgumentHelp("At most so many deliveries a second.", valueName: "count"))
    var pace: UInt32?

    @Option(help: "The treatment of a silent push that exceeds the budget of its device. Default: drop.")
    var overBudget: OverBudget?

    @Option(
        help: ArgumentHelp(
            "Adds the message's number to each payload under this key, so that the app can report its arrival.",
            valueName: "key"))
    var idKey: String?

    @Option(
        help: ArgumentHelp(
            "A text for message list and the server's log; devices do not get it.", valueName: "text"))
    var label: String?

    @Flag(help: "Checks everything and counts the audience; nothing is sent.")
    var dryRun = false

    @Flag(help: "Waits for the outcome of every device, at most --wait-limit.")
    var wait = false

    @Flag(help: "Shows the progress until every device has its outcome.")
    var watch = false

    @Option(help: ArgumentHelp("The longest time that --wait waits.", valueName: "time"))
    var waitLimit = TimeSpan(milliseconds: 60_000)

    @OptionGroup(title: "Audience") var audience: AudienceOptions

    @OptionGroup(title: "Content") var content: ContentOptions

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !content.isEmpty || [.background, .widgets, .controls].contains(type) else {
            throw ValidationError(
                "The content is missing: --title and --body, or other fields, or --payload, or --payload-file.")
        }
        guard !dryRun || !(wait || watch) else {
            throw ValidationError(
                "--dry-run sends nothing: there is nothing to \(wait ? "--wait for" : "--watch").")
        }
        guard !wait || !watch else { throw ValidationError("--wait and --watch exclude each other.") }
        if let label { try LabelRule.check(label) }
        guard pace != 0 else { throw ValidationError("--pace is at least 1.") }
        guard overBudget == nil || type == .background else {
            throw ValidationError("--over-budget is for silent pushes: --type background.")
        }
    }

    /// The message from the options.
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
            label: label,
            isDryRun: dryRun
        )
    }

    func run() async throws {
        let message = try message(at: .now)
        let missed = try await server.run { client in
            let accepted = try await client.send(message)
            show(accepted, message.key)
            if watch {
                return try await MessageWatch(accepted.id, app: app, client: client).run(isJSON: server.json).hasMissed
            }
            return wait ? try await follow(accepted.id, client) : false
        }
        if missed { throw ExitStatus.notAllDelivered }
    }

    private func show(_ accepted: Acceptance, _ key: UUIDBytes) {
        let total = Int(accepted.total)
        if dryRun {
            let result = JSON.members(["dry_run": .bool(true), "total": .number(UInt64(total))])
            return Terminal.printLine(server.json ? result.line : "dry run  \(total.devices), nothing is sent")
        }
        if server.json { return Terminal.printLine(accepted.json(key).line) }
        let again = accepted.isDuplicate ? ", accepted before" : ""
        let ended = accepted.ended > 0 ? ", \(accepted.ended) of them not registered" : ""
        let empty = total == 0 && at == nil ? ", the audience is empty" : ""
        Terminal.printLine("message \(accepted.id)  \(total.devices)\(ended)\(empty)\(again)")
    }

    /// Waits for the outcomes and shows them; returns true if a device was missed.
    private func follow(_ id: MessageID, _ client: CarillonClient) async throws -> Bool {
        let status = try await finalStatus(of: id, client)
        Terminal.printLine(server.json ? status.json(id).line : status.table(id, at: .now))
        return status.hasMissed
    }

    /// The final status, or the current one after `--wait-limit`.
    private func finalStatus(of id: MessageID, _ client: CarillonClient) async throws(CarillonError) -> MessageStatus {
        do {
            return try await client.waitUntilFinished(id, app: app, timeout: waitLimit.duration)
        } catch {
            guard error.code == .timeout else { throw error }
            return try await client.status(of: id, app: app)
        }
    }
}

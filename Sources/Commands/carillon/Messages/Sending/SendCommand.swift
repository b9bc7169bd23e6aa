import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends a push to an audience.",
        usage: "carillon send [--app <bundle-id>] <audience> <content> [<options>]",
        discussion: """
            Examples:
              carillon send --app com.example.game --device 17 --title Hello --body World
              carillon send --app com.example.game --topic level5 --title "Raid at 21:00"
              carillon send --app com.example.game --group user/42 --except 17 --body Hi
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
              carillon send --app com.example.game --channel dHN0LXNyY2gtY2hubA== \\
                --type liveactivity --expiration 1h --payload-file goal.json
              carillon send --app com.example.game --group user/42 --title Raid \\
                --body Now --android-channel raids --web-url https://example.com/raids/77
              echo '{"aps":{"alert":"Hi"}}' |
                carillon send --app com.example.game --device 17 --payload-file -

            carillon checks the fields, the server checks a payload; carillon warns of
            keys in aps that Apple does not document. A Live Activity is sent as a payload.

            Each device gets the body whose language matches its locale best, else the
            text without a language. The audience is read when sending reaches it: a
            device that has left it by then gets nothing, nor does a device that joined
            after the command.

            The message is on the server's disk when the command returns. --wait waits
            until every device has its outcome, and shows the outcomes; --watch also
            shows the progress, and has no time limit. Control-C ends the command, not
            the message.

            On a terminal --all asks before it sends; --yes answers. In a script, where
            there is no terminal, it sends at once: --all is never a default.

            \(ExitStatus.explanation)
            """
    )

    @OptionGroup var app: AppOption

    @Option(help: "The push type. Default: alert.")
    var type: PushType?

    @Option(
        help: ArgumentHelp(
            "A text for message list and the server's log; devices do not get it.", valueName: "text"))
    var label: String?

    @Flag(help: "Waits for the outcome of every device, at most --wait-limit.")
    var wait = false

    @Flag(help: "Shows the progress until every device has its outcome.")
    var watch = false

    @Option(help: ArgumentHelp("The longest time that --wait waits.", valueName: "time"))
    var waitLimit = TimeSpan(milliseconds: 60_000)

    @Flag(help: "Checks everything, counts the audience and shows the payloads; nothing is sent.")
    var dryRun = false

    @Flag(help: "Sends with --all without a question.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "When sending starts: 2026-07-01T12:00:00Z, or from now as +10m. The audience is resolved then.",
            valueName: "time|+time"))
    var at: TimeOrSpanArgument?

    @Option(
        help: ArgumentHelp(
            "Where the message stands in a distributed trace, as W3C Trace Context writes it: the server's log, the "
                + "status and events have it.", valueName: "value"))
    var traceparent: String?

    @OptionGroup(title: "Audience") var audience: AudienceOptions

    @OptionGroup(title: "Content") var content: ContentOptions

    @OptionGroup(title: "Android") var android: AndroidOptions

    @OptionGroup(title: "Browsers") var web: WebOptions

    @OptionGroup(title: "Delivery") var delivery: DeliveryOptions

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
        if let label { try LabelOption.check(label) }
        guard traceparent.map({ TraceParent($0) != nil }) ?? true else {
            throw ValidationError(
                "--traceparent has the form 00-TRACE-SPAN-FLAGS, with 32, 16 and 2 digits: 0-9 and a-f.")
        }
        guard audience.channel == nil || type == .liveactivity else {
            throw ValidationError("--channel takes Live Activities only: --type liveactivity.")
        }
        guard audience.channel == nil || delivery.expiration != .unspecified else {
            throw ValidationError("--channel needs --expiration: 0 if the channel stores no message, else a time.")
        }
        guard delivery.overBudget == nil || type == .background else {
            throw ValidationError("--over-budget is for silent pushes: --type background.")
        }
    }

    func makeMessage(at now: Timestamp) throws -> Message {
        let type = type ?? .alert
        var content = MessageContent(
            app: try server.app(app),
            pushType: type,
            localized: try content.localized(for: type),
            priority: delivery.priority,
            expiration: delivery.expiration.expiration(at: now),
            collapseID: delivery.collapseId
        )
        content.idKey = delivery.idKey
        content.overBudget = delivery.overBudget ?? .drop
        content.android = try android.content()
        content.web = try web.content()
        return Message(
            idempotencyKey: delivery.key ?? .random(),
            content: content,
            audience: try audience.audience(for: type),
            excludedDevice: audience.excludedDevice(for: type),
            notAfter: delivery.notAfter.map { now.later(byMilliseconds: $0.milliseconds) },
            lane: delivery.lane ?? .interactive,
            sendAt: at?.time(at: now),
            pace: delivery.pace,
            label: label,
            traceParent: traceparent.flatMap { TraceParent($0) },
            isDryRun: dryRun
        )
    }
}

/// The value of the option `--label`.
enum LabelOption {
    /// Throws the error of a label that the server would refuse.
    static func check(_ label: String) throws {
        do throws(MessageError) {
            try MessageRules.checkLabel(label)
        } catch {
            throw ValidationError("--label has 1 to \(Message.maximumLabelBytes) bytes and no control characters.")
        }
    }
}

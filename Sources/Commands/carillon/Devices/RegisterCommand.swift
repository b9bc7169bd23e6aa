import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Registers a device. For many devices use carillon import.",
        discussion: """
            Examples:
              carillon register --app com.example.game --token 00fc13ad… --locale zh-Hant
              carillon register --app com.example.game --token 11aa… --replaces 00fc13ad…
              carillon register --app com.example.game --fcm cNab…:APA91b… --locale de
              carillon register --app com.example.game --web-subscription subscription.json
              carillon register --app com.example.game --token 00fc13ad… \\
                --group user/42 --topic level5 --attribute platform=ios
            """
    )

    @OptionGroup var app: AppOption

    @Option(help: ArgumentHelp("The token, in hexadecimal.", valueName: "hex"))
    var token: DeviceToken?

    @Option(help: FirebaseToken.help)
    var fcm: FirebaseToken?

    @Option(
        help: ArgumentHelp(
            "The push subscription of a browser: the JSON of PushSubscription.toJSON(), or a file with it.",
            valueName: "file|json"))
    var webSubscription: BrowserSubscription?

    @Option(help: "The environment of the token. Default: production.")
    var environment: APNsEnvironment?

    @Option(help: "The kind of the token. Default: device.")
    var kind: TokenKind?

    @Option(
        help: ArgumentHelp(
            "The token that this one replaces, in the form of this one; of a browser the old endpoint.",
            valueName: "token"))
    var replaces: String?

    @Option(help: ArgumentHelp("A language tag; empty removes it.", valueName: "tag"))
    var locale: String?

    @Option(help: ArgumentHelp("A time zone, such as Europe/Berlin; empty removes it.", valueName: "zone"))
    var timeZone: String?

    @Option(help: ArgumentHelp("An attribute; an empty value removes it; may be repeated.", valueName: "key=value"))
    var attribute: [AttributeChange] = []

    @Option(
        help: ArgumentHelp("A topic to subscribe to in the same step; may be repeated.", valueName: "topic"),
        completion: NameCompletion.topics)
    var topic: [TopicName] = []

    @Option(
        help: ArgumentHelp("A group to join in the same step; may be repeated.", valueName: "group"),
        completion: NameCompletion.groups)
    var group: [GroupName] = []

    @Option(
        help: ArgumentHelp(
            "When the app received the token: 2026-07-01T12:00:00Z or milliseconds. Default: now.",
            valueName: "time"
        )
    )
    var seenAt: TimeArgument?

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard [token != nil, fcm != nil, webSubscription != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("Give the token by --token, --fcm or --web-subscription, one of the three.")
        }
        if fcm != nil { try FirebaseToken.validate(environment: environment, kind: kind) }
        guard webSubscription == nil || environment == nil && kind == nil else {
            throw ValidationError("--environment and --kind are for tokens of APNs, and not for --web-subscription.")
        }
        _ = try replacedToken()
    }

    /// The address from the options; nil if no token is given.
    private var address: DeviceAddress? {
        webSubscription.map { DeviceAddress(browserAt: $0.subscription.endpoint) } ?? fcm?.address
            ?? token.map { DeviceAddress(environment: environment ?? .production, kind: kind ?? .device, token: $0) }
    }

    /// Returns the token that is replaced; nil for none.
    private func replacedToken() throws -> DeviceToken? {
        guard let replaces, let address else { return nil }
        guard webSubscription == nil else { return DeviceAddress(browserAt: replaces).token }
        guard let token = DeviceToken(replaces, of: address.kind) else {
            let fault = address.kind.hasTextTokens ? FirebaseToken.fault(of: replaces) : DeviceToken.fault(of: replaces)
            throw ValidationError("The value of --replaces is invalid: \(fault)")
        }
        return token
    }

    private func makeRegistration(of app: AppID, _ address: DeviceAddress) throws -> Registration {
        Registration(
            app: app,
            address: address,
            seenAt: seenAt?.time ?? .zero,
            replaces: try replacedToken(),
            locale: locale,
            timeZone: timeZone,
            attributes: attribute,
            topics: topic,
            groups: group,
            subscription: webSubscription?.subscription
        )
    }

    func run() async throws {
        try await server.run(for: app) { client, app in
            guard let address else { return }
            let registration = try makeRegistration(of: app, address)
            if let warning = registration.address.lengthWarning { StandardError.warn(warning) }
            let device = try await client.register(registration)
            StandardOutput.printLine(
                server.json
                    ? JSON.members(["device_id": .number(device.id.rawValue), "result": .text("\(device.result)")]).line
                    : "device \(device.id)  \(device.result)"
            )
        }
    }
}

/// The push subscription of a browser: its JSON, or the file that has it.
struct BrowserSubscription: ExplainedArgument, Equatable {
    let subscription: WebPushSubscription

    init?(argument: String) {
        guard let subscription = Self.read(argument) else { return nil }
        self.subscription = subscription
    }

    static func fault(of argument: String) -> String {
        guard let json = readJSON(of: argument) else { return "the file cannot be read" }
        do throws(WebPushSubscriptionError) {
            _ = try WebPushSubscription(json: json)
            return "it cannot be used"
        } catch {
            return "it \(error)"
        }
    }

    private static func read(_ argument: String) -> WebPushSubscription? {
        // Why try?: `fault` says it.
        readJSON(of: argument).flatMap { try? WebPushSubscription(json: $0) }
    }

    private static func readJSON(of argument: String) -> [UInt8]? {
        if argument.first == "{" { return Array(argument.utf8) }
        return FileManager.default.contents(atPath: argument).map { Array($0.prefix(maximumFileBytes)) }
    }

    /// The number of bytes of a file that are read: more than a subscription has.
    private static let maximumFileBytes = WebPushSubscription.maximumJSONBytes + 1
}

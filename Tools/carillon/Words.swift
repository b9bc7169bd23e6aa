public import ArgumentParser
import CarillonCommandLine
public import CarillonCore

extension Condition {
    /// Reads an argument of the command line; of a text that is none it shows where.
    init(argument text: String) throws {
        do throws(ConditionError) {
            try self.init(text)
        } catch {
            throw ValidationError(
                "The condition cannot be read: expected \(error.expected).\n\(Self.mark(text, error.column))")
        }
    }

    /// The text around a column, in bytes from 1, with a caret below it.
    static func mark(_ text: String, _ column: Int) -> String {
        let bytes = Array(text.utf8)
        let place = min(max(column - 1, 0), bytes.count)
        // Controls, as the ends of lines, would put the caret elsewhere.
        func shown(_ part: ArraySlice<UInt8>) -> String {
            String(
                String.UnicodeScalarView(
                    String(decoding: part, as: UTF8.self).unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
        }
        var (before, after) = (shown(bytes[..<place]), shown(bytes[place...]))
        if before.count > 50 { before = "…" + before.suffix(49) }
        if after.count > 26 { after = after.prefix(25) + "…" }
        return "  \(before)\(after)\n  \(String(repeating: " ", count: before.count))^"
    }
}

extension PushType: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) { self.init(name: argument) }
    /// For `--help`.
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The names say enough.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension Priority: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) {
        guard let number = UInt8(argument) else { return nil }
        self.init(rawValue: number)
    }
    /// For `--help`.
    public static var allValueStrings: [String] { ["10", "5", "1"] }
    /// The names say enough.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension Lane: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) {
        guard let match = Self.allCases.first(where: { String(describing: $0) == argument }) else { return nil }
        self = match
    }
    /// For `--help`.
    public static var allValueStrings: [String] { allCases.map { String(describing: $0) } }
    /// The names say enough.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension OverBudget: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) {
        switch argument {
        case "drop": self = .drop
        case "wait": self = .wait
        default: return nil
        }
    }
    /// For `--help`.
    public static var allValueStrings: [String] { ["drop", "wait"] }
    /// The names say enough.
    public static var allValueDescriptions: [String: String] { [:] }
}

extension Outcome: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) {
        guard let match = (0...UInt8.max).lazy.map(Outcome.init(rawValue:)).first(where: { $0.name == argument })
        else { return nil }
        self = match
    }
    /// Those that have a name, for the completions of a shell.
    public static var defaultCompletionKind: CompletionKind {
        .list((0...UInt8.max).map { Outcome(rawValue: $0).name }.filter { !$0.hasPrefix("outcome-") })
    }
}

extension Event.Kind: ExpressibleByArgument {
    /// Reads an argument of the command line.
    public init?(argument: String) { self.init(name: argument) }
    /// For `--help`.
    public static var allValueStrings: [String] { all.map(\.description) }
    /// The names say enough.
    public static var allValueDescriptions: [String: String] { [:] }
    /// For the completions of a shell.
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension PushNotification.InterruptionLevel: ExpressibleByArgument {
    /// For `--help`.
    public static var allValueStrings: [String] { allCases.map(\.rawValue) }
    /// The names say enough.
    public static var allValueDescriptions: [String: String] { [:] }
}

/// How long APNs keeps a push: `never-set`, `0` or a time from now.
enum ExpirationArgument: ExpressibleByArgument, Equatable {
    case unspecified
    case once
    case from(now: TimeSpan)

    init?(argument: String) {
        switch argument {
        case "never-set": self = .unspecified
        case "0": self = .once
        default:
            guard let span = TimeSpan(argument: argument), span.milliseconds >= 1_000 else { return nil }
            self = .from(now: span)
        }
    }

    var defaultValueDescription: String { "never-set" }

    /// What the message says.
    func expiration(at now: Timestamp) -> Expiration {
        switch self {
        case .unspecified: .unspecified
        case .once: .once
        case .from(let span): .at(seconds: now.advanced(byMilliseconds: span.milliseconds).milliseconds / 1_000)
        }
    }
}

/// One device, by token or by id.
struct DeviceArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: ArgumentHelp("The token, in hexadecimal.", valueName: "hex"))
    var token: DeviceToken?

    @Option(help: ArgumentHelp("The id that the server gave the device.", valueName: "id"))
    var device: DeviceID?

    @Option(help: "Which APNs the token belongs to. Without it production.")
    var environment: Environment?

    @Option(help: "What the token is good for. Without it device.")
    var kind: TokenKind?

    func validate() throws {
        guard (token == nil) != (device == nil) else {
            throw ValidationError("Name the device by --token or by --device, one of the two.")
        }
    }

    /// The device.
    var reference: DeviceReference? {
        if let device { return .id(device) }
        return token.map { token in
            .address(DeviceAddress(environment: environment ?? .production, kind: kind ?? .device, token: token))
        }
    }
}

/// Several devices, by tokens or by ids.
struct DevicesArguments: ParsableArguments {
    @Option(help: ArgumentHelp("A token, in hexadecimal; may be repeated.", valueName: "hex"))
    var token: [DeviceToken] = []

    @Option(help: ArgumentHelp("A device id; may be repeated.", valueName: "id"))
    var device: [DeviceID] = []

    @Option(help: "Which APNs the tokens belong to. Without it production.")
    var environment: Environment?

    @Option(help: "What the tokens are good for. Without it device.")
    var kind: TokenKind?

    /// Whether none is named.
    var isEmpty: Bool { token.isEmpty && device.isEmpty }

    /// The devices; tokens are of `usual` kind unless the options say otherwise.
    func references(_ usual: TokenKind = .device) -> [DeviceReference] {
        token.map { token in
            .address(DeviceAddress(environment: environment ?? .production, kind: kind ?? usual, token: token))
        } + device.map { .id($0) }
    }
}

extension DeviceReference {
    /// The device for people: a token is not shown whole.
    var text: String {
        switch self {
        case .id(let id): "device \(id)"
        case .address(let address): "token \(address.token.shortened)"
        }
    }

    /// The device as it was named.
    var json: JSON {
        switch self {
        case .id(let id): .members(["device_id": .number(id.rawValue)])
        case .address(let address): .members(["token": .text(address.token.hex)])
        }
    }
}

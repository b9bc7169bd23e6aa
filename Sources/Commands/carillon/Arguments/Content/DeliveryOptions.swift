import ArgumentParser
import CarillonArguments
import CarillonCommandLine
import CarillonCore

/// The options for the delivery of a message.
struct DeliveryOptions: ParsableArguments {
    @Option(help: "The priority. Default: the usual one of the type.")
    var priority: Priority?

    @Option(
        help: ArgumentHelp(
            "How long from now the provider stores the push: 3600, 12h, 2d; 0 = one attempt; never-set = it decides.",
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

    @Option(help: ArgumentHelp("The most deliveries a second.", valueName: "count"))
    var pace: UInt32?

    @Option(help: "The treatment of a silent push above the silent-push budget of its device. Default: drop.")
    var overBudget: OverBudget?

    @Option(
        help: ArgumentHelp(
            "Adds the message's number to each payload under this key, so that the app can report its arrival.",
            valueName: "key"))
    var idKey: String?

    func validate() throws {
        guard pace != 0 else { throw ValidationError("--pace is at least 1.") }
    }
}

/// An argument for the expiration of a push: `never-set`, `0` or a time from now.
enum ExpirationArgument: ExplainedArgument, Equatable {
    case unspecified
    case once
    case fromNow(TimeSpan)

    init?(argument: String) {
        switch argument {
        case "never-set": self = .unspecified
        case "0": self = .once
        default:
            guard let span = TimeSpan(argument: argument), span.milliseconds >= 1_000 else { return nil }
            self = .fromNow(span)
        }
    }

    var defaultText: String { "never-set" }

    static func fault(of argument: String) -> String {
        "it is never-set, 0, or a duration from a second on, such as 3600, 12h or 2d"
    }

    /// Returns the expiration for the message.
    func expiration(at now: Timestamp) -> Expiration {
        switch self {
        case .unspecified: .unspecified
        case .once: .once
        case .fromNow(let span): .at(seconds: now.later(byMilliseconds: span.milliseconds).milliseconds / 1_000)
        }
    }
}

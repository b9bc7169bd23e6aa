import CarillonArguments
import CarillonClient
import CarillonCore
import Foundation

/// The push subscription of a browser: its JSON, or the file that has it.
struct BrowserSubscription: ExplainedArgument, Equatable {
    let subscription: WebPushSubscription

    init?(argument: String) {
        guard let subscription = Self.read(argument) else { return nil }
        self.subscription = subscription
    }

    static func fault(of argument: String) -> String {
        guard let json = json(of: argument) else { return "the file cannot be read" }
        do throws(WebPushSubscriptionError) {
            _ = try WebPushSubscription(json: json)
            return "it cannot be used"
        } catch {
            return "it \(error)"
        }
    }

    private static func read(_ argument: String) -> WebPushSubscription? {
        // Why try?: `fault` says it.
        json(of: argument).flatMap { try? WebPushSubscription(json: $0) }
    }

    private static func json(of argument: String) -> [UInt8]? {
        if argument.first == "{" { return Array(argument.utf8) }
        return FileManager.default.contents(atPath: argument).map { Array($0.prefix(maximumFileBytes)) }
    }

    /// The number of bytes of a file that are read: more than a subscription has.
    private static let maximumFileBytes = WebPushSubscription.maximumJSONBytes + 1
}

import CarillonSimulator
import Foundation

/// The broadcast channels of every app: made, kept and deleted as APNs does.
struct ChannelStore {
    /// What is stored of a channel's messages: Apple's `message-storage-policy`.
    enum Policy: Int {
        case none = 0
        case latest = 1
    }

    /// Channels of an app, at most.
    static let maximumChannels = 10_000

    private var channels: [[UInt8]: [String: Policy]] = [:]
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The channels of all apps.
    var count: Int { channels.values.reduce(0) { $0 + $1.count } }

    /// Creates a channel and returns its id; nil if the app has as many as it may.
    mutating func create(_ policy: Policy, app: [UInt8]) -> String? {
        guard channels[app]?.count ?? 0 < Self.maximumChannels else { return nil }
        let bytes = (0..<2).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        let id = Data(bytes).base64EncodedString()
        channels[app, default: [:]][id] = policy
        return id
    }

    /// The policy of a channel; nil if the app has no such channel.
    func policy(of channel: String, app: [UInt8]) -> Policy? { channels[app]?[channel] }

    /// The ids of an app's channels, in no order.
    func all(app: [UInt8]) -> [String] { channels[app].map { Array($0.keys) } ?? [] }

    /// Deletes a channel; false if the app has no such channel.
    mutating func delete(_ channel: String, app: [UInt8]) -> Bool { channels[app]?.removeValue(forKey: channel) != nil }
}

import CarillonSimulator
import Foundation

import struct CarillonCore.SeededGenerator

/// The broadcast channels of every app: made, kept and deleted as APNs does.
struct ChannelStore {
    /// The policy of a channel for storing its messages: Apple's `message-storage-policy`.
    enum Policy: Int {
        case none = 0
        case latest = 1
    }

    /// A channel, with the pushes that it got.
    struct Channel {
        let policy: Policy
        /// The number of broadcast pushes that were accepted.
        fileprivate(set) var acceptedCount = 0
        /// The number of accepted broadcast pushes whose `apns-request-id` was accepted before.
        fileprivate(set) var duplicateCount = 0
        /// The number of broadcast pushes that were refused.
        fileprivate(set) var refusedCount = 0
        /// The payload of the last push that was accepted.
        fileprivate(set) var payload: [UInt8] = []
        /// The ids of the pushes that were accepted. No more are kept than `maximumIDs`.
        fileprivate var requestIDs: Set<String> = []
    }

    static let maximumChannels = 10_000
    /// The most request ids that are kept for all channels together.
    private static let maximumIDs = 1 << 20

    private var channels: [[UInt8]: [String: Channel]] = [:]
    private var random: SeededGenerator
    private var keptIDCount = 0
    /// The number of broadcast pushes that were accepted, pushes to deleted channels included.
    private(set) var broadcastCount = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The number of channels of all apps.
    var count: Int { channels.values.reduce(0) { $0 + $1.count } }

    /// Creates a channel and returns its id; nil if the app has as many as it may.
    mutating func create(_ policy: Policy, app: [UInt8]) -> String? {
        guard channels[app]?.count ?? 0 < Self.maximumChannels else { return nil }
        let bytes = (0..<2).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
        let id = Data(bytes).base64EncodedString()
        channels[app, default: [:]][id] = Channel(policy: policy)
        return id
    }

    /// Returns the policy of a channel; nil if the app has no such channel.
    func findPolicy(of channel: String, app: [UInt8]) -> Policy? { channels[app]?[channel]?.policy }

    /// Returns the channel with an id, which may be of any app, because ids are unique; nil if no app has it.
    func channel(_ id: String) -> Channel? { channels.values.lazy.compactMap { $0[id] }.first }

    /// Returns the ids of an app's channels, in no order.
    func all(app: [UInt8]) -> [String] { channels[app].map { Array($0.keys) } ?? [] }

    /// Deletes a channel. Returns false if the app has no such channel.
    mutating func delete(_ channel: String, app: [UInt8]) -> Bool {
        guard let deleted = channels[app]?.removeValue(forKey: channel) else { return false }
        keptIDCount -= deleted.requestIDs.count
        return true
    }

    /// Counts a broadcast push that was accepted, and keeps its payload.
    mutating func recordAccepted(_ push: ReceivedPush, requestID: String, app: [UInt8]) {
        broadcastCount += 1
        let room = Self.maximumIDs - keptIDCount
        keptIDCount += change(push, app: app) { channel in
            channel.acceptedCount += 1
            channel.payload = Array(push.payload)
            if channel.requestIDs.contains(requestID) { channel.duplicateCount += 1 }
            return room > 0 && channel.requestIDs.insert(requestID).inserted ? 1 : 0
        }
    }

    mutating func recordRefused(_ push: ReceivedPush, app: [UInt8]) {
        _ = change(push, app: app) { channel in
            channel.refusedCount += 1
            return 0
        }
    }

    /// Changes the channel that a push names, if it exists. Returns the result of `body`; 0 if the channel does not
    /// exist.
    private mutating func change(_ push: ReceivedPush, app: [UInt8], _ body: (inout Channel) -> Int) -> Int {
        guard let id = push.channelID?.text, channels[app]?[id] != nil else { return 0 }
        return body(&channels[app, default: [:]][id, default: Channel(policy: .none)])
    }
}

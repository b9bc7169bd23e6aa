import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// A client that makes random changes, one after the other, and remembers the effects that they may have.
struct RandomChanges {
    private var random: SeededGenerator
    private var now: UInt64 = 1_000
    /// The locales that each token may have now: that of the last change that was answered, and those of later changes
    /// whose effect is unknown. Nil stands for no device.
    private var possible: [UInt8: Set<String?>] = [:]
    private var lastMessage: UInt64 = 0
    private(set) var refused = 0
    private(set) var unknown = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Submits one change to a replica, and notes its end.
    mutating func submit(to replica: TestReplica) throws {
        now += UInt64.random(in: 1...5, using: &random)
        let token = UInt8.random(in: 1...30, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            let locale = ["de", "en", "fr", "it"].randomElement(using: &random)!
            try submit(.register(token, locale: locale, now: now), of: token, locale: locale, to: replica)
        case 5..<7: try submit(.unregister(token, now: now), of: token, locale: nil, to: replica)
        case 7..<9:
            let devices = (0..<3).map { _ in DeviceReference.address(address(.random(in: 1...30, using: &random))) }
            let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{}}"#.utf8))
            try submit(
                .accept(Message(content: content, audience: .devices(devices)), now: timestamp(now)), to: replica)
            lastMessage += 1
        default:
            let ended = OutcomeRecord.EndedRecipient(position: .random(in: 0..<3, using: &random), outcome: .delivered)
            let message = MessageID(rawValue: .random(in: 0...lastMessage + 1, using: &random))
            let record = OutcomeRecord(message: message, page: 0, endedRecipients: [ended])
            try submit(.recordOutcomes(record, now: timestamp(now)), to: replica)
        }
    }

    private mutating func submit(
        _ change: Change, of token: UInt8? = nil, locale: String? = nil, to replica: TestReplica
    ) throws {
        switch try replica.end(of: change) {
        case .success: if let token { possible[token] = [locale] }
        case .failure(.logUnavailable): refused += 1
        case .failure(.effectUnknown):
            unknown += 1
            if let token { possible[token, default: [nil]].insert(locale) }
        case .failure(let error): throw error
        }
    }

    /// Requires that every replica has the changes that were answered.
    func requireAnswered(in replicas: [TestReplica]) throws {
        for replica in replicas {
            for (token, values) in possible.sorted(by: { $0.key < $1.key }) {
                let found = try replica.registry?.device(.address(address(token)), of: game)?.locale
                #expect(values.contains(found), "\(replica.name), token \(token)")
            }
        }
    }
}

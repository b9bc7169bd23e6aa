import CarillonCore
import CarillonRegistryTestKit

@testable import CarillonRegistry

/// Steps of a test with messages and their pages, each in one call.
extension LMDBRegistry {
    /// Accepts a message at `now`, in milliseconds; returns nil if it is refused.
    @discardableResult
    func accept(_ message: Message, now: UInt64 = 1_000) throws -> SendResult? {
        guard case .accepted(let acceptance, _) = try apply(.accept(message, now: timestamp(now))) else { return nil }
        return acceptance
    }

    /// Registers devices that get the ids of a range, in submissions of 1,000.
    func registerDevices(_ ids: Range<Int>, topics: [String] = []) throws {
        for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 1_000) {
            try apply(
                (start..<min(start + 1_000, ids.upperBound)).map { number in
                    let token = DeviceToken([UInt8(number >> 16), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF), 9])!
                    let address = DeviceAddress(environment: .production, kind: .device, token: token)
                    let topics = topics.map { TopicName($0)! }
                    return .register(Registration(app: game, address: address, topics: topics), now: timestamp(1_000))
                })
        }
    }

    /// Ends the recipients of a page: each with its final outcome, or else with `outcome`.
    ///
    /// - Parameter count: the number of recipients that are ended, from the first on.
    @discardableResult
    func end(_ page: RecipientPage, as outcome: Outcome = .delivered, upTo count: Int = .max) throws -> ChangeAnswer {
        let ended = page.recipients.prefix(count).map {
            OutcomeRecord.EndedRecipient(position: $0.position, outcome: $0.finalOutcome ?? outcome)
        }
        let record = OutcomeRecord(
            message: page.message, page: page.number, endedRecipients: ended, addressed: page.addressed,
            firstPendingPage: page.number)
        return try apply(.recordOutcomes(record, now: timestamp(2_000)))
    }

    /// Ends the recipients of all pages of a message.
    func endAllPages(of message: MessageID, as outcome: Outcome = .delivered) throws {
        var from: UInt32 = 0
        while let page = try nextPage(of: message, from: from) {
            try end(page, as: outcome)
            from = page.number + 1
        }
    }
}

import CarillonCore
import CarillonDelivery
import Testing

/// Ten minutes in which a provider answers nothing but 503, in the middle of a large message.
struct EngineProviderOutageTests {
    private static let pages: UInt32 = 60
    private static let devices = Int(pages) * RegistryLimits.recipientsPerPage

    /// A message, its disk, and connections that could send 10,000 a second.
    private struct Fanout {
        var harness = EngineHarness()
        /// The delays on disk, by recipient.
        var delays: [UInt64: OutcomeRecord.Delay] = [:]
        var outcomes: [UInt64: Outcome] = [:]

        static func device(_ page: UInt32, _ position: UInt16) -> UInt64 {
            UInt64(page) * UInt64(RegistryLimits.recipientsPerPage) + UInt64(position) + 1
        }

        func page(_ number: UInt32) -> RecipientPage {
            var builder = RecipientPage.Builder(capacity: RegistryLimits.recipientsPerPage)
            for position in 0..<UInt16(RegistryLimits.recipientsPerPage) {
                let device = Self.device(number, position)
                guard outcomes[device] == nil else { continue }
                let delay = delays[device]
                builder.append(
                    .init(
                        position: position, device: DeviceID(rawValue: device), environment: .production,
                        attempts: delay?.attempts ?? 0, dueAt: delay?.dueAt ?? .zero), token: [1])
            }
            return builder.page(
                number, of: MessageID(rawValue: 1), isLast: number + 1 == EngineProviderOutageTests.pages)
        }

        mutating func runActions() {
            while true {
                let actions = harness.takeActions()
                for record in actions.records {
                    for delay in record.delays { delays[Self.device(record.page, delay.position)] = delay }
                    for entry in record.entries { outcomes[Self.device(record.page, entry.position)] = entry.outcome }
                }
                if actions.pageReads.isEmpty && actions.records.isEmpty { return }
                for read in actions.pageReads { harness.engine.pageRead(page(read.page), for: read, at: harness.now) }
            }
        }

        /// Lets that many seconds pass, and returns the attempts in each second, if every answer is this one.
        mutating func attempts(seconds: Int, _ verdict: Verdict) -> [Int] {
            (0..<seconds).map { _ in
                (0..<10).reduce(0) { count, _ in
                    let deliveries = harness.pull(1_000)
                    runActions()
                    harness.advance(100)
                    harness.complete(deliveries, verdict)
                    runActions()
                    return count + deliveries.count
                }
            }
        }
    }

    @Test func aProviderOutageCostsLittleLosesNothingAndIsSoonForgotten() {
        var fanout = Fanout()
        fanout.harness.engine.messageAccepted(EngineHarness.message(1, lane: .bulk), at: fanout.harness.now)
        fanout.runActions()
        #expect(fanout.attempts(seconds: 2, .delivered) == [10_000, 10_000])

        let during = fanout.attempts(seconds: 600, .tryLater(.serverBusy, afterMilliseconds: nil))
        #expect(during.reduce(0, +) <= 600 * 1_000, "a tenth on average")
        #expect(during.dropFirst(5).allSatisfy { $0 <= 1_000 }, "a tenth in each second after the first")

        let after = fanout.attempts(seconds: 30, .delivered)
        #expect(after.contains(10_000), "\(after)")
        while fanout.outcomes.count < Self.devices, let deadline = fanout.harness.engine.deadline {
            fanout.harness.advance(deadline - min(deadline, fanout.harness.now.uptime))
            _ = fanout.attempts(seconds: 1, .delivered)
        }
        #expect(fanout.outcomes.count == Self.devices)
        #expect(fanout.outcomes.values.allSatisfy { $0 == .delivered })
        #expect(fanout.harness.engine.load.messages == 0)
    }
}

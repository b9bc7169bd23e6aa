import CarillonCore
import CarillonRegistryTestKit
import CarillonTestKit
import CarillonWire
import Foundation
import Testing

@testable import CarillonRegistry

/// Each change as a record of the write-ahead log: its bytes, what is read from them, and damage.
struct ChangeRecordCodecTests {
    @Test(arguments: LogSample.all)
    func `a mutation comes back as it was`(sample: LogSample) throws {
        let mutations = [sample.mutation, .change(.register(9))]
        #expect(try decoded(sample.bytes + encoded([.change(.register(9))])) == mutations)
    }

    @Test func `every form has a sample`() throws {
        let forms = Set(try LogSample.all.map { try #require(FrameHeader.first(of: $0.bytes)) }.map(\.form))
        #expect(ChangeForm.allCases.filter { !forms.contains($0.rawValue) } == [])
    }

    @Test(arguments: TestSeeds.of(1...40))
    func `random changes come back as they were`(seed: UInt64) throws {
        var run = RandomRun(seed: seed)
        for step in 1...10 {
            let changes = run.nextChanges()
            for change in changes { _ = run.reference.apply(change) }
            let mutations: [Mutation] =
                [.changes(changes), .sweep(now: timestamp(run.now))] + changes.map { .change($0) }
            try #require(
                try decoded(encoded(mutations)) == mutations, "seed \(seed), step \(step): \(changes)")
        }
    }

    /// The log outlives the program that wrote it: these bytes must be written, and be read, for ever. A form that
    /// changes gets a new number, and its sample here stays as one that is only read.
    @Test func `the bytes of each form are those of before`() throws {
        let golden = try GoldenForm.load()
        for sample in LogSample.all where !golden.contains(where: { $0.name == sample.name }) {
            let line = #"{"name": "\#(sample.name)", "hex": "\#(Hex.string(sample.bytes))"}"#
            Issue.record("log-forms.json lacks \(line)")
        }
        for form in golden {
            let sample = try #require(LogSample.all.first { $0.name == form.name }, "\(form.name)")
            #expect(Hex.string(sample.bytes) == form.hex, "\(sample)")
            #expect(try decoded(#require(Hex.bytes(form.hex))) == [sample.mutation], "\(sample)")
        }
    }

    // MARK: Damaged records

    @Test(arguments: LogSample.all)
    func `a record that ends too early is corrupt`(sample: LogSample) {
        let bytes = sample.bytes
        for count in 1..<bytes.count { #expect(isCorrupt(bytes[..<count]), "\(count) of \(bytes.count) bytes") }
    }

    @Test(arguments: LogSample.all)
    func `a changed byte is corrupt or another mutation`(sample: LogSample) throws {
        let bytes = sample.bytes
        for index in bytes.indices {
            for mask in [0x01, 0x02, 0x10, 0x80, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] ^= mask
                // Why try?: an error is one of the two good ends.
                guard let mutations = try? decoded(damaged) else {
                    #expect(isCorrupt(damaged[...]))
                    continue
                }
                #expect(mutations != [sample.mutation], "byte \(index), mask \(mask)")
                // Whatever mutations these are, the log can write them.
                #expect(try decoded(encoded(mutations)) == mutations, "byte \(index), mask \(mask)")
            }
        }
    }

    @Test func `a count beyond the bytes is corrupt`() {
        // 2⁶⁴ − 1 receipts, and a text of as many bytes.
        let most: [UInt8] = Array(repeating: 0xFF, count: 9) + [0x01]
        for form in [ChangeForm.countReceipts, .acknowledge, .subscribe, .join] {
            for start in [[], [1, UInt8(ascii: "a")]] as [[UInt8]] {
                var writer = FormWriter(form, number: 0)
                writer.append(contentsOf: start + most)
                var frames = FrameWriter()
                writer.finish(into: &frames)
                #expect(isCorrupt(frames.bytes[...]), "\(form)")
            }
        }
    }

    @Test func `changes that take effect together are not nested`() throws {
        var writer = FormWriter(.together, number: 1)
        writer.append(contentsOf: encoded([.changes([.register(1)])]))
        var frames = FrameWriter()
        writer.finish(into: &frames)
        #expect(isCorrupt(frames.bytes[...]))
    }

    // MARK: Sizes

    @Test func `a record has room for the largest mutations`() throws {
        for (name, change) in try largest() {
            let bytes = encoded([.change(change)])
            // The largest are the outcomes of a whole page with eight attempts each, with the longest reasons.
            #expect(bytes.count <= 8 << 20, "\(name): \(bytes.count) bytes")
            #expect(WALRecord.fits(bytes))
            #expect(try decoded(bytes) == [.change(change)])
        }
    }

    @Test func `a page of equal outcomes takes a byte each`() {
        let ended = (0..<4_096).map { OutcomeRecord.EndedRecipient(position: UInt16($0), outcome: .delivered) }
        let record = OutcomeRecord(message: messageID(1), page: 3, endedRecipients: ended)
        #expect(encoded([.change(.recordOutcomes(record, now: timestamp(1)))]).count < 4_096 + 64)
    }

    /// Runs of equal outcomes, gaps, steps back, reports in between.
    @Test func `outcomes come back in their order`() throws {
        var random = SeededGenerator(seed: TestSeeds.one(5))
        for _ in 0..<200 {
            var (ended, position) = ([OutcomeRecord.EndedRecipient](), 0)
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                var recipient = OutcomeRecord.EndedRecipient(
                    position: 0, outcome: [.delivered, .badToken, .expired].randomElement(using: &random) ?? .delivered)
                for _ in 0..<([1, 2, 70].randomElement(using: &random) ?? 1) {
                    recipient.position = UInt16(position)
                    ended.append(recipient)
                    position = min(position + 1, Int(UInt16.max))
                }
                if Bool.random(using: &random) {
                    ended[ended.count - 1].deadToken = OutcomeRecord.DeadToken(
                        since: timestamp(1), registeredAt: timestamp(2))
                }
                position = [position, min(position + 5, 65_535), 3, 65_530].randomElement(using: &random) ?? position
            }
            let record = OutcomeRecord(message: messageID(1), page: 3, endedRecipients: ended)
            let mutations = [Mutation.change(.recordOutcomes(record, now: timestamp(1)))]
            #expect(try decoded(encoded(mutations)) == mutations)
        }
    }

    @Test func `no outcome follows on the last position`() throws {
        let ended = [65_534, 65_535].map { OutcomeRecord.EndedRecipient(position: $0, outcome: .delivered) }
        let record = OutcomeRecord(message: messageID(1), page: 3, endedRecipients: ended)
        var bytes = encoded([.change(.recordOutcomes(record, now: timestamp(1)))])
        #expect(try decoded(bytes).count == 1)
        // The step to the first position becomes 65,535, which has three bytes too. So none is left for the second.
        let first = try #require(bytes.firstIndex(of: FormWriter.nextRecipient))
        let (head, tooHigh) = (65_534 << 2, 65_535 << 2)
        for index in 0..<3 {
            let byte = UInt8(head >> (7 * index) & 0x7F) | (index < 2 ? 0x80 : 0)
            try #require(bytes[first - 3 + index] == byte)
            bytes[first - 3 + index] = UInt8(tooHigh >> (7 * index) & 0x7F) | (index < 2 ? 0x80 : 0)
        }
        #expect(isCorrupt(bytes[...]))
    }

    @Test func `changes are counted without decoding them`() {
        let bytes = encoded([
            .changes([.register(1), .releaseScheduled(now: timestamp(1))]), .sweep(now: timestamp(1)), .changes([]),
        ])
        #expect(ChangeRecordCodec.count(in: bytes[...]) == 3)
        #expect(ChangeRecordCodec.count(in: bytes[..<(bytes.count - 1)]) == 3)
        var wrong = bytes
        wrong.replaceSubrange(8..<16, with: Array(repeating: 0xFF, count: 8))
        #expect(ChangeRecordCodec.count(in: wrong[...]) < 20)
    }

    // MARK: Helpers

    private func encoded(_ mutations: [Mutation]) -> [UInt8] {
        var frames = FrameWriter()
        for mutation in mutations { ChangeRecordCodec.append(mutation, to: &frames) }
        return frames.bytes
    }

    private func decoded(_ bytes: [UInt8]) throws -> [Mutation] {
        try ChangeRecordCodec.mutations(in: bytes[...])
    }

    private func isCorrupt(_ bytes: ArraySlice<UInt8>) -> Bool {
        do {
            _ = try ChangeRecordCodec.mutations(in: bytes)
            return false
        } catch {
            guard case .corrupted = error else { return false }
            return true
        }
    }

    /// Makes the largest change of each kind that the limits of requests and pages allow.
    private func largest() throws -> [(String, Change)] {
        let token = try #require(DeviceToken(Array(repeating: 0xAB, count: DeviceToken.maximumBytes)))
        let device = DeviceReference.address(DeviceAddress(environment: .production, kind: .device, token: token))
        let devices = Array(repeating: device, count: WireLimits.batchItems)
        let names = (0..<WireLimits.batchItems).map { "\($0)" + String(repeating: "g", count: 190) }
        // All bodies of a request are within one frame.
        let body = Array(
            repeating: UInt8(ascii: "x"), count: Int(WireLimits.frameBytes) / (MessageContent.maximumBodies + 1))
        let content = MessageContent(
            app: game, pushType: .alert, payload: body,
            bodies: (0..<MessageContent.maximumBodies).map { LanguageBody(language: "l\($0)", payload: body) })
        let groups = names.map { GroupName($0)! }
        let deadToken = OutcomeRecord.DeadToken(since: timestamp(.max), registeredAt: timestamp(.max))
        let positions = (0..<RegistryLimits.recipientsPerPage).map { UInt16($0) }
        let attempt = TraceAttempt(
            endedAt: timestamp(.max), connectionNumber: .max, status: .max, reason: String(repeating: "r", count: 128))
        let record = OutcomeRecord(
            message: messageID(.max), page: .max,
            endedRecipients: positions.map {
                OutcomeRecord.EndedRecipient(
                    position: $0, outcome: .tokenUnregistered, deadToken: deadToken, movedTo: .sandbox,
                    registeredAt: timestamp(.max)
                )
            },
            delays: positions.map { OutcomeRecord.Delay(position: $0, attempts: .max, dueAt: timestamp(.max)) },
            attempts: positions.flatMap { position in
                (0..<MessageTrace.maximumAttempts).map { _ in
                    OutcomeRecord.RecordedAttempt(position: position, attempt: attempt)
                }
            },
            addressed: AddressedChunk(try #require(ChunkBits(ascending: positions))))
        let sender = String(repeating: "s", count: Principal.maximumNameBytes)
        return [
            (
                "devices",
                .accept(Message(content: content, audience: .devices(devices)), sender: sender, now: timestamp(1))
            ),
            (
                "groups",
                .accept(Message(content: content, audience: .groups(groups)), sender: sender, now: timestamp(1))
            ),
            (
                "join",
                .join(
                    JoinRequest(
                        app: game, group: groups[0], devices: devices, leaving: groups[1], announcement: content),
                    sender: sender, now: timestamp(1))
            ),
            (
                "receipts",
                .countReceipts(
                    ReceiptsRequest(
                        app: game,
                        receipts: devices.map { Receipt(message: messageID(.max), device: $0, kind: .opened) }
                    ), now: timestamp(1))
            ),
            ("subscribe", .subscribe(names, devices: Array(devices.prefix(10)))),
            ("outcomes", .recordOutcomes(record, now: timestamp(1))),
        ]
    }
}

/// The bytes that a form has, in `Tests/Corpus/log-forms.json`.
private struct GoldenForm: Decodable {
    let name: String
    let hex: String

    static func load() throws -> [GoldenForm] {
        let file = Repository.file("Tests/Corpus/log-forms.json")
        return try JSONDecoder().decode([GoldenForm].self, from: Data(contentsOf: file))
    }
}

extension FrameHeader {
    fileprivate static func first(of bytes: [UInt8]) -> FrameHeader? { bytes.withUnsafeBytes { FrameHeader($0) } }

    /// The number of the log's own form; 0 of a request.
    fileprivate var form: UInt16 { kind == ChangeForm.frameKind ? opcode.rawValue : 0 }
}

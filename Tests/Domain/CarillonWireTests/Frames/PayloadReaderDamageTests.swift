import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// The frames that were cut or damaged on the way: refused by name, never a trap.
struct PayloadReaderDamageTests {
    /// Decodes a payload as the kind of message that the vector is.
    private func decode(_ header: FrameHeader, _ payload: ArraySlice<UInt8>) throws(WireError) {
        let bytes = Array(payload)
        let fault: WireError? = bytes.withUnsafeBytes { payload in
            do throws(WireError) {
                switch FrameKind(rawValue: header.kind) {
                case .request: _ = try AnyRequest.decode(payload, of: header.opcode)
                case .answer: _ = try AnyAnswer.decode(payload, of: header.opcode)
                case .error: _ = try RequestError(decoding: payload)
                case .control: _ = try Control.decode(payload, of: header)
                case .event: _ = try EventNotice(decoding: payload)
                case nil: break
                }
                return nil
            } catch {
                return error
            }
        }
        if let fault { throw fault }
    }

    @Test(arguments: try! Vectors.valid().filter { !$0.message.hasPrefix("ignored") })
    func `a payload that was cut is malformed`(_ vector: Vectors.Valid) throws {
        let header = try #require(vector.bytes.withUnsafeBytes { FrameHeader($0) })
        let payload = vector.bytes.dropFirst(FrameHeader.byteCount)
        var readable = 0
        // Of a long payload not every cut, or the time would grow with the square of its length.
        for count in stride(from: 0, to: payload.count, by: 1 + payload.count / 1_000) {
            do throws(WireError) {
                try decode(header, payload.prefix(count))
                readable += 1
            } catch  where error.code == .invalidArgument && ["send", "event"].contains(vector.message) {
                // Without its tags a SEND may lack the name of its audience, or a payload; a gap the number of missed
                // events.
                readable += 1
            } catch {
                #expect(error.code == .malformed, "cut to \(count): \(error)")
            }
        }
        // Only the end of the fixed part can be the end of a payload.
        #expect(readable <= 1)
    }

    private static let requests = Result { try Vectors.valid().filter { $0.isFromClient && $0.kind == .request } }

    @Test(arguments: TestSeeds.of(1...20))
    func `a damaged frame that can be read is written and read the same`(_ seed: UInt64) throws {
        let vectors = try Self.requests.get()
        var random = SeededGenerator(seed: seed)
        var read = 0
        for _ in 0..<1_000 {
            let vector = try #require(vectors.randomElement(using: &random))
            let opcode = try #require(vector.bytes.withUnsafeBytes { FrameHeader($0) }).opcode
            let damaged = damage(Array(vector.bytes.dropFirst(FrameHeader.byteCount)), &random)
            guard let (request, common) = try? damaged.withUnsafeBytes({ try AnyRequest.decode($0, of: opcode) }) else {
                continue
            }
            let kept = withoutRefused(request)
            if kept.as(RegisterBatchRequest.self)?.items.isEmpty == true { continue }
            read += 1
            var writer = FrameWriter()
            writer.request(request, id: 1, common: common)
            let again = try Array(writer.bytes.dropFirst(FrameHeader.byteCount)).withUnsafeBytes {
                try AnyRequest.decode($0, of: opcode)
            }
            #expect(again.request == kept, "\(vector) \(Hex.string(damaged))")
            #expect(again.common == common)
        }
        #expect((1..<1_000).contains(read))
    }

    /// Returns a request without the refused items of a batch: they are not kept, so they cannot be written again.
    private func withoutRefused(_ request: AnyRequest) -> AnyRequest {
        guard let batch = request.as(RegisterBatchRequest.self) else { return request }
        return AnyRequest(RegisterBatchRequest(batch.registrations))
    }

    private func damage(_ payload: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = payload
        for _ in 0...Int.random(in: 0...2, using: &random) {
            let index = Int.random(in: 0...bytes.count, using: &random)
            let byte = UInt8.random(in: .min ... .max, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: bytes.insert(byte, at: index)
            case 1 where index < bytes.count: bytes.remove(at: index)
            case 2 where index < bytes.count: bytes[index] ^= 1 << (byte & 7)
            case 3 where index < bytes.count: bytes[index] = byte
            default: bytes += [byte]
            }
        }
        return bytes
    }
}

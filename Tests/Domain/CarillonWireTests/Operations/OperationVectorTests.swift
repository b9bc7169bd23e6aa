import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

/// The valid vectors. Each is decoded to its fields, and encoded back to its bytes.
struct OperationVectorTests {
    @Test(arguments: try! Vectors.valid())
    func `a valid vector is decoded to its fields and encoded to its bytes`(_ vector: Vectors.Valid) throws {
        let header = try #require(vector.bytes.withUnsafeBytes { FrameHeader($0) })
        #expect(Int(header.length) == vector.bytes.count - FrameHeader.byteCount)
        var writer = FrameWriter()
        let decoded = try vector.bytes.withUnsafeBytes { bytes in
            let payload = UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount...])
            return try Self.reencode(header, payload: payload, of: vector, into: &writer)
        }
        let (message, fields) = try #require(decoded, "the operation has no row in OperationFields")
        #expect(message == vector.message)
        #expect(try Vectors.canonical(fields) == vector.fields)
        // What was refused in a batch is not kept, so it cannot be written again.
        if !vector.isDecodeOnly && !vector.name.contains("refused alone") {
            #expect(Hex.string(writer.bytes) == Hex.string(vector.bytes))
        }
    }

    private static func reencode(
        _ header: FrameHeader, payload: UnsafeRawBufferPointer, of vector: Vectors.Valid, into writer: inout FrameWriter
    ) throws -> (String, [String: Any])? {
        switch FrameKind(rawValue: header.kind) {
        case .request:
            let (request, common) = try AnyRequest.decode(payload, of: header.opcode)
            writer.request(request, id: header.id, common: common)
            return MessageFields.of(request, common, bytes: vector.bytes)
        case .answer:
            let answer = try AnyAnswer.decode(payload, of: header.opcode)
            writer.answer(answer, id: header.id)
            return MessageFields.of(answer)
        case .error:
            let error = try RequestError(decoding: payload)
            writer.error(error, opcode: header.opcode, id: header.id)
            return ("error", MessageFields.of(error))
        case .control where vector.isFromClient && header.opcode == .goAway:
            return ("ignored", [:])
        case .control:
            let control = try Control.decode(payload, of: header)
            switch control {
            case .ping(let ping): writer.ping(ping)
            case .goAway(let goAway): writer.goAway(goAway)
            case .position(let position): writer.position(position)
            case .unknown: break
            }
            return MessageFields.of(control)
        case .event where header.opcode == .subscribeEvents && header.flags == 0:
            let notice = try EventNotice(decoding: payload)
            writer.event(notice, subscription: header.id)
            return ("event", MessageFields.of(notice))
        case .event, nil:
            return ("ignored", [:])
        }
    }
}

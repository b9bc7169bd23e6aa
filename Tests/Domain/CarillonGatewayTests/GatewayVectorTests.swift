import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

@testable import CarillonGateway

/// The valid vectors of requests, answers, errors and events: each is JSON, and that JSON is the same bytes again.
struct GatewayVectorTests {
    private static let gateway = Gateway()

    /// The vectors that JSON has in other bytes or not at all: white space around a payload, and items of a batch that
    /// are no registrations.
    private static let onWireOnly: Set = [
        "SEND with white space around", "REGISTER_BATCH of three items, the middle one refused alone",
        "REGISTER_BATCH with an empty item, refused alone",
    ]

    // A folder that cannot be read fails all tests.
    // swift-format-ignore: NeverUseForceTry
    private static let vectors = try! Vectors.valid().filter { vector in
        vector.kind != .control && vector.message != "ignored" && !onWireOnly.contains(vector.name)
    }

    @Test(arguments: vectors)
    func `a vector is read from JSON and written as JSON`(_ vector: Vectors.Valid) throws {
        let header = try #require(vector.bytes.withUnsafeBytes { FrameHeader($0) })
        let payload = Array(vector.bytes[FrameHeader.byteCount...])
        let layout = try #require(Self.layout(of: header))
        let json = try AnswerDecoder.json(payload, as: layout, in: Self.gateway.table)
        let node = try LocatedJSONParser.parse(json)
        let again = try RequestEncoder.payload(of: layout, body: node, text: json, in: Self.gateway.table)
        #expect(try AnswerDecoder.json(again, as: layout, in: Self.gateway.table) == json)
        if !vector.isDecodeOnly && !vector.fields.contains("unknown_tags") {
            #expect(Hex.string(again) == Hex.string(payload))
        }
    }

    private static func layout(of header: FrameHeader) -> PayloadLayout? {
        let table = gateway.table
        switch FrameKind(rawValue: header.kind) {
        case .request: return table.operations.first { $0.opcode == header.opcode }?.request
        case .answer: return table.operations.first { $0.opcode == header.opcode }?.answer
        case .error: return table.error
        case .event: return table.event
        default: return nil
        }
    }
}

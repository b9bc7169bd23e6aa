import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

@testable import CarillonGateway

/// The valid vectors of requests, answers, errors and events: each is JSON, and that JSON is the same bytes again.
struct VectorTests {
    private static let gateway = Gateway()

    // A folder that cannot be read fails all tests.
    // swift-format-ignore: NeverUseForceTry
    private static let vectors = try! Vectors.valid().filter { vector in
        let kind = vector.bytes[4]
        return kind != FrameKind.control.rawValue && vector.message != "ignored"
    }

    @Test(arguments: vectors)
    func aVectorIsReadFromJSONAndWrittenAsJSON(_ vector: Vectors.Valid) throws {
        let header = try #require(vector.bytes.withUnsafeBytes { FrameHeader($0) })
        let payload = Array(vector.bytes[FrameHeader.byteCount...])
        let layout = try #require(Self.layout(of: header))
        // A batch can have items that are no registrations: they are on the wire only.
        guard !vector.name.contains("refused alone") else { return }
        let json = try AnswerDecoder.json(payload, as: layout, in: Self.gateway.table)
        let node = try JSONParser.parse(json)
        // White space of a payload is left out.
        guard !vector.name.contains("white space") else { return }
        let again = try RequestEncoder.payload(of: layout, body: node, text: json, in: Self.gateway.table)
        #expect(try AnswerDecoder.json(again, as: layout, in: Self.gateway.table) == json)
        if !vector.isDecodeOnly && !vector.fields.contains("unknown_tags") {
            #expect(Hex.string(again) == Hex.string(payload))
        }
    }

    private static func layout(of header: FrameHeader) -> PayloadLayout? {
        let table = gateway.table
        switch FrameKind(rawValue: header.kind) {
        case .request: return table.requests.first { $0.opcode == header.opcode }?.request
        case .response: return table.requests.first { $0.opcode == header.opcode }?.answer
        case .error: return table.error
        case .event: return table.event
        default: return nil
        }
    }

    @Test func theTableHasEveryRequestOfTheServer() {
        #expect(Self.gateway.table.requests.map(\.opcode) == Opcode.served)
    }

    /// A new operation whose small numbers mean something must say so in `json` of `layouts.json`.
    @Test func everySmallNumberHasAWordOrIsACount() {
        let counts: Set<String> = ["lowest", "highest", "method", "priority", "status", "format"]
        var without: [String] = []
        func look(_ type: FieldType, _ path: String) {
            switch type {
            case .number(let bytes, .number) where bytes <= 2: without.append(path)
            case .list(let item): look(item, path)
            case .structure(let fields): for each in fields { look(each.type, "\(path).\(each.name)") }
            default: break
            }
        }
        for request in Self.gateway.table.requests {
            for each in request.request.fields + request.answer.fields {
                look(each.type, "\(request.name).\(each.name)")
            }
        }
        let unknown = without.filter { path in !counts.contains(String(path.split(separator: ".").last ?? "")) }
        #expect(unknown == ["hello.opcodes.opcode"])
    }
}

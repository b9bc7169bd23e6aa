import CarillonCore
import CarillonWire
import Testing

@testable import CarillonGateway

/// The table of the payloads, compared with the operations of the server.
struct LayoutTableTests {
    private let table = Gateway().table

    @Test func `the table has every request of the server`() {
        #expect(table.operations.map(\.opcode) == Opcode.served)
    }

    /// A new operation whose small numbers mean something must say so in `json` of `layouts.json`.
    @Test func `every small number has a word or is a count`() {
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
        for operation in table.operations {
            for each in operation.request.fields + operation.answer.fields {
                look(each.type, "\(operation.name).\(each.name)")
            }
        }
        let unknown = without.filter { path in !counts.contains(String(path.split(separator: ".").last ?? "")) }
        #expect(unknown == ["hello.opcodes.opcode"])
    }
}

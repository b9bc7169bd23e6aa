import CarillonCore
import CarillonTestKit
import CarillonWire
import CarillonWireTestKit
import Testing

/// The table of operations: complete, in order, and covered by vectors.
struct OperationTableTests {
    @Test func `rows ascend by opcode and have different names`() {
        let opcodes = OperationTable.rows.map(\.opcode)
        #expect(opcodes == opcodes.sorted())
        #expect(Set(opcodes).count == opcodes.count)
        #expect(Set(OperationTable.rows.map(\.name)).count == opcodes.count)
    }

    /// `PipelinedChanges` of CarillonServer judges the role once for all changes that were read together.
    @Test func `every change needs the role register and no other`() {
        let changes = OperationTable.rows.filter { $0.kind == .change }
        #expect(changes.filter { $0.roles != .register }.map(\.name) == [])
        #expect(changes.count > 1)
    }

    @Test(arguments: Opcode.served) func `every opcode has its own row`(_ opcode: Opcode) throws {
        let row = try #require(OperationTable.row(of: opcode))
        #expect(row.opcode == opcode)
        #expect(row.type.opcode == opcode)
        #expect(row.type.tableRow === row)
        #expect(opcode.name == row.name)
        #expect(OperationFields.all.contains { $0.opcode == opcode })
    }

    @Test(arguments: [0x0000, 0x0003, 0x0004, 0x00FF, 0xFFFF] as [UInt16])
    func `an unknown opcode has no row`(_ number: UInt16) {
        let opcode = Opcode(rawValue: number)
        #expect(OperationTable.row(of: opcode) == nil)
        #expect(opcode.name == "opcode-\(number)")
        let fault = #expect(throws: WireError.self) {
            var app: AppID?
            _ = try [UInt8]().withUnsafeBytes { try ServerRequest.decode($0, of: opcode, lastApp: &app, now: .zero) }
        }
        #expect(fault?.code == .unsupportedOpcode)
    }

    @Test func `every operation has a request and an answer in the vectors`() throws {
        let headers = try Vectors.valid().compactMap { $0.bytes.withUnsafeBytes { FrameHeader($0) } }
        for kind in [FrameKind.request, .answer] {
            let opcodes = Set(headers.filter { $0.kind == kind.rawValue }.map(\.opcode))
            #expect(opcodes.isSuperset(of: Opcode.served), "\(kind)")
        }
    }

    @Test(arguments: try! Vectors.valid().filter { $0.isFromClient && $0.kind == .request })
    func `the server runs a request as its row says`(_ vector: Vectors.Valid) throws {
        let opcode = try #require(vector.bytes.withUnsafeBytes { FrameHeader($0) }).opcode
        let payload = Array(vector.bytes.dropFirst(FrameHeader.byteCount))
        let now = Timestamp(milliseconds: 5)
        var (app, secondApp): (AppID?, AppID?) = (nil, nil)
        let request = try payload.withUnsafeBytes {
            try ServerRequest.decode($0, of: opcode, lastApp: &app, now: now).request
        }
        let change = try payload.withUnsafeBytes {
            try ServerRequest.decodeChange($0, of: opcode, lastApp: &secondApp, now: now)
        }
        let sent = try payload.withUnsafeBytes { try AnyRequest.decode($0, of: opcode).request }
        #expect(kind(of: request) == (sent.operation.sendsMessage ? .individual : sent.tableRow.kind))
        switch request {
        case .change(let whole, of: let app):
            #expect(change?.change == whole)
            #expect(change?.app == app)
            #expect(sent.operation.namedApp == app)
            #expect(AnyRequest(askingFor: whole) == sent)
            try checkLoggedRequest(for: whole, sent)
        case .longRead(let list):
            #expect(AnyRequest(list.operation) == sent)
        case .dryRun(let message):
            #expect(AnyRequest(message) == sent)
        case .individual(let request):
            #expect(AnyRequest(request.operation) == sent)
        case .pointRead, .statistics, .session:
            #expect(change == nil)
        }
    }

    /// Checks that the log of the registry keeps a change as the request that was sent, unless it has a form of its own
    /// for the changes of the operation.
    private func checkLoggedRequest(for change: Change, _ sent: AnyRequest) throws {
        var writer = FrameWriter()
        let isWritten = writer.loggedRequest(for: change, id: 1)
        #expect(isWritten == ![Opcode.restore, .updateGroup].contains(sent.opcode))
        guard isWritten else { return }
        let logged = try Array(writer.bytes.dropFirst(FrameHeader.byteCount)).withUnsafeBytes {
            try AnyRequest.decode($0, of: sent.opcode).request
        }
        #expect(logged == sent)
    }

    private func kind(of request: ServerRequest) -> OperationTable.Row.Kind {
        switch request {
        case .pointRead: .pointRead
        case .change: .change
        case .longRead, .statistics: .longRead
        case .individual, .dryRun: .individual
        case .session: .session
        }
    }
}

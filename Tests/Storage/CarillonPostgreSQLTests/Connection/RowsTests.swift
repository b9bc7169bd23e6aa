import CarillonCluster
import Testing

@testable import CarillonPostgreSQL

/// The values of rows, whose bytes come from outside.
struct RowsTests {
    /// Makes a row of these columns.
    private func makeRow(_ columns: [UInt8]?...) -> Rows.Row { Rows([columns]).row(0) }

    @Test(
        arguments: [
            ([7], 7), ([0xFF, 0xFE], -2), ([0, 0, 0, 9], 9), (SQLValue.int(-1).encoded, -1),
        ] as [([UInt8], Int64)])
    func `a number has 1, 2, 4 or 8 bytes`(_ bytes: [UInt8], _ number: Int64) throws {
        #expect(try makeRow(bytes).int(0) == number)
    }

    @Test(arguments: [nil, [], [1, 2, 3], [UInt8](repeating: 0, count: 9)] as [[UInt8]?])
    func `a number of another size is refused`(_ bytes: [UInt8]?) {
        #expect(throws: LogError.self) { try makeRow(bytes).int(0) }
    }

    @Test func `a number that its type cannot hold is refused`() {
        let row = makeRow(SQLValue.int(-1).encoded, SQLValue.int(65_536).encoded)
        #expect(throws: LogError.corrupted("a number is negative")) { try row.unsigned(0) }
        #expect(throws: LogError.corrupted("a number is out of range")) { try row.narrow(1, as: UInt16.self) }
    }

    @Test func `bytes of another type are refused`() {
        let row = makeRow([0xFF], [1])
        #expect(throws: LogError.corrupted("a text is not UTF-8")) { try row.text(0) }
        #expect(throws: LogError.corrupted("a value of 16 bytes has 1")) { try row.uuid(1) }
    }

    @Test func `a member without a name or a number is refused`() {
        #expect(throws: LogError.corrupted("a node has no name")) { try makeRow([], [1]).member(0) }
        #expect(throws: LogError.corrupted("a value is missing")) { try makeRow([UInt8(ascii: "a")]).member(0) }
    }

    @Test func `a column or a row that is not there is refused`() {
        #expect(throws: LogError.corrupted("a value is missing")) { try makeRow([1]).int(1) }
        #expect(throws: LogError.corrupted("a value is missing")) { try Rows().row(3).int(0) }
    }
}

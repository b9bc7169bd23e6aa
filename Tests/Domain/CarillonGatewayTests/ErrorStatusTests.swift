import CarillonCore
import CarillonTestKit
import Testing

@testable import CarillonGateway

/// The table of errors and their statuses.
struct ErrorStatusTests {
    @Test func `the page has the rows of the table`() {
        let rows = PageTable.rows(of: "Sources/Documentation/HTTP.md", head: "| status | codes |")
        #expect(rows == ErrorStatus.table.map { ["\($0.status)", $0.errors] })
    }

    @Test func `each code has one status`() {
        let codes = ErrorStatus.table.flatMap(\.codes)
        #expect(Set(codes).count == codes.count)
        for row in ErrorStatus.table {
            for code in row.codes { #expect(ErrorStatus.status(of: code) == row.status, "\(code)") }
        }
    }

    @Test func `a code of a later version is a fault of the request`() {
        #expect(ErrorStatus.status(of: ErrorCode(rawValue: 999).name) == 400)
    }
}

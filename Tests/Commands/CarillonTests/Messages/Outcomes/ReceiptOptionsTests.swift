import ArgumentParser
import CarillonCore
import Testing

@testable import carillon

struct ReceiptOptionsTests {
    @Test func `a file of receipts names one device a line`() throws {
        let good = LineReader.Piece(firstLine: 1, bytes: Array("7\n\n 8\r\n".utf8), endOffset: 7)
        #expect(
            try ReceiptOptions.devices(of: good) == [.id(DeviceID(rawValue: 7)), .id(DeviceID(rawValue: 8))])
        let bad = LineReader.Piece(firstLine: 5, bytes: Array("7\nx".utf8), endOffset: 3)
        let error = #expect(throws: ValidationError.self) { try ReceiptOptions.devices(of: bad) }
        #expect(error?.message == "Line 6 is not a device id: 'x'.")
    }
}

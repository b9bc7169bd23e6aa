import CarillonCore
import Testing

@testable import CarillonRegistry

struct WALRecordFormatTests {
    @Test func recordsHaveTheVersionAndTheSecretOfTheirHeader() {
        let header = WALHeader(version: .two, epoch: UUIDBytes(high: 1, low: 2), secret: 7)
        #expect(header.recordFormat == WALHeader.RecordFormat(version: .two, secret: 7))
    }

    @Test func withoutAHeaderRecordsHaveTheVersionThatIsWritten() {
        #expect(WALHeader.RecordFormat(secret: 7).version == .current)
    }
}

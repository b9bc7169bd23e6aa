import CarillonCore
import Testing

@testable import CarillonRegistry

struct WALRecordFormTests {
    @Test func recordsHaveTheVersionAndTheSecretOfTheirHeader() {
        let header = WALHeader(version: .two, epoch: UUIDBytes(high: 1, low: 2), secret: 7)
        #expect(header.recordForm == WALHeader.RecordForm(version: .two, secret: 7))
    }

    @Test func withoutAHeaderRecordsHaveTheVersionThatIsWritten() {
        #expect(WALHeader.RecordForm(secret: 7).version == .current)
    }
}

import ArgumentParser
import Testing

@testable import carillon

/// The columns that the first line of CSV names, and the values of the lines that follow.
struct LineFormatTests {
    private func makeLineFormat(_ header: String) throws -> LineFormat { try .csv(header: Array(header.utf8)) }

    @Test(arguments: [
        ("locale", "There is no column token"), ("token,tokn", "'tokn' is not one of"), ("token,token", "twice"),
        ("\"token", "does not name the columns"),
    ])
    func `a faulty header is refused`(header: String, message: String) {
        let error = #expect(throws: ValidationError.self) { try makeLineFormat(header) }
        #expect(error?.message.contains(message) == true)
    }

    @Test(arguments: [
        ("aa", "1 values; the first line names 3"), (#"aa,"b,"#, "not closed"), (#"aa,"b"c,"#, "between"),
    ])
    func `a line that does not have a value for each column is refused`(line: String, message: String) throws {
        let lineFormat = try makeLineFormat("token,attributes,locale")
        let fault = #expect(throws: RegistrationLine.ParseError.self) {
            try lineFormat.members(of: Array(line.utf8)[...])
        }
        #expect(fault?.field == nil)
        #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "")")
    }
}

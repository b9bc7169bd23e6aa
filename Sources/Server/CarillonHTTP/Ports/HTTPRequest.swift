import NIOHTTP1

/// A whole request of HTTP, with its body.
struct HTTPRequest: Sendable {
    var method: HTTPMethod
    /// The path without the query.
    var path: String
    var headers: HTTPHeaders
    var body: [UInt8] = []
    /// The IP address of the client.
    var clientAddress: String

    /// Returns the only value of a field; nil if the head has no such field, or several.
    func onlyValue(of name: String) -> String? {
        let values = headers[name]
        return values.count == 1 ? values[0] : nil
    }

    /// True if the head says that the body is JSON. curl sends another type by default: a form, which a page of another
    /// origin could send as well.
    var isJSON: Bool {
        let type = onlyValue(of: "content-type")?.lowercased().split(separator: ";").first.map(String.init) ?? ""
        return type.trimmed == "application/json"
    }
}

extension StringProtocol {
    /// The text without the spaces and tabs at both ends.
    var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(String(start.reversed()).drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

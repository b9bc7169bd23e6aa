struct ServiceResponse: Equatable {
    var status: UInt16
    var fields: [String: String] = [:]
    var body = ""
    /// The fault of the request, for the counts; empty for a success.
    var fault = ""

    var isAccepted: Bool { (200...299).contains(status) }

    /// Makes an HTML page, as a front end sends it.
    static func html(_ status: UInt16, title: String) -> ServiceResponse {
        ServiceResponse(
            status: status, fields: ["content-type": "text/html; charset=UTF-8"],
            body: "<!DOCTYPE html>\n<html lang=en>\n<title>\(title)</title>\n", fault: "html-\(status)")
    }
}

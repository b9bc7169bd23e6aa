import CarillonCore
import CarillonHTTP2Server

/// The three services of the simulator.
enum Service: String, Decodable, CaseIterable, Sendable {
    /// Google's OAuth 2 token endpoint.
    case oauth
    case fcm
    case web

    /// The prefix of the paths of `web`, before the name of a browser.
    static let pathOfBrowsers = "/push/"

    init(path: String) {
        self = path == "/token" ? .oauth : path.hasPrefix(Self.pathOfBrowsers) ? .web : .fcm
    }
}

/// A request as the services read it.
struct ReceivedRequest {
    var method = ""
    var path = ""
    var authority = ""
    /// The values of each header, by its name in lower case.
    private(set) var headers: [String: [String]] = [:]
    var body: [UInt8] = []
    /// The length of the whole body, the part that was cut included.
    var bodyLength = 0

    init() {}

    init(_ request: Request) {
        request.forEachHeader { name, value in
            let value = String(decoding: value, as: UTF8.self)
            switch String(decoding: name, as: UTF8.self) {
            case ":method": method = value
            case ":path": path = value
            case ":authority": authority = value
            case let name: headers[name, default: []].append(value)
            }
        }
        body = Array(request.body)
        bodyLength = request.bodyLength
    }

    /// The browser that the path names; nil if the path is not that of a push service for browsers.
    var browser: String? { path.removing(prefix: Service.pathOfBrowsers).map(String.init) }

    /// Returns the value of a header that occurs once; nil if it is missing or occurs more often.
    func header(_ name: String) -> String? {
        guard let values = headers[name], values.count == 1 else { return nil }
        return values[0]
    }

    mutating func set(_ name: String, to value: String?) { headers[name] = value.map { [$0] } }
}

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

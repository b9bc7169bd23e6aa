/// Decides whether a request comes from a page of the console: by its head alone, before anything is done for it.
struct OriginRule: Sendable {
    /// The names by which browsers reach the console, in lower case.
    var names: Set<String>

    /// The reason why a request is refused.
    enum Refusal: Hashable, Sendable {
        /// The name in Host is not one of the console: a page of another site may have pointed its name here.
        case otherHost
        /// A page of another site has made the request.
        case otherSite
    }

    /// Returns the reason why a request with these fields is refused; nil if it is not.
    ///
    /// - Parameters:
    ///   - host: the field Host.
    ///   - site: the field Sec-Fetch-Site; nil if the head has none.
    ///   - origin: the field Origin; nil if the head has none.
    ///   - isChange: true for all but the pages themselves.
    func refusal(host: String?, site: String?, origin: String?, isChange: Bool) -> Refusal? {
        guard let host = host?.lowercased(), names.contains(Self.name(of: host)) else { return .otherHost }
        guard isChange else { return nil }
        if let origin {
            let allowed = ["http://\(host)", "https://\(host)"]
            guard allowed.contains(origin.lowercased()) else { return .otherSite }
        }
        switch site {
        case "same-origin": return nil
        // An old browser has no such field, but it names the origin.
        case nil: return origin == nil ? .otherSite : nil
        default: return .otherSite
        }
    }

    /// Returns the name in a field Host, without its port.
    static func name(of host: String) -> String {
        if host.hasPrefix("[") { return host.firstIndex(of: "]").map { String(host[...$0]) } ?? host }
        return String(host.prefix { $0 != ":" })
    }
}

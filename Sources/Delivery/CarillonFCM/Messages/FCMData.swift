import CarillonCore

/// The app's own keys of a message (REST reference, `message.data`).
enum FCMData {
    /// Checks keys and values; throws the first fault.
    static func check(_ members: [String: JSONValue], field: String) throws(MessageError) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if isReserved(name) {
                throw MessageError(field: "\(field).\(name)", text: "FCM has reserved the name for itself")
            }
            guard value.string != nil else {
                throw MessageError(field: "\(field).\(name)", text: "must be a string: FCM's data has no other values")
            }
        }
    }

    /// Returns true for names that FCM refuses: those that old and new pages of Google reserve, and the empty name.
    ///
    /// Only old pages reserve all names that begin with `google` or `gcm`.
    static func isReserved(_ name: String) -> Bool {
        name == "from" || name == "message_type" || name.hasPrefix("google.") || name.hasPrefix("gcm.notification.")
            || name.isEmpty
    }
}

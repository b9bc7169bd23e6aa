package import CarillonCore

/// The requirements of FCM for a content, checked before anything is stored or sent.
package enum FCMRules {
    /// Checks every payload of a content; throws the first fault. The fault of a payload in a language has a field that
    /// begins with `bodies.` and the language.
    package static func check(_ content: MessageContent) throws(MessageError) {
        // The longest id: with it the message must fit too.
        let longest = MessageID(rawValue: .max)
        if !content.payload.isEmpty || content.bodies.isEmpty {
            _ = try FCMRequest(content, payloadIndex: 0, message: longest, at: .zero)
        }
        for (index, body) in content.bodies.prefix(MessageContent.maximumBodies).enumerated() {
            do throws(MessageError) {
                _ = try FCMRequest(content, payloadIndex: UInt8(index + 1), message: longest, at: .zero)
            } catch {
                guard error.field.hasPrefix("payload") else { throw error }
                let field = "bodies.\(body.language).\(error.field)"
                throw MessageError(field: field, text: error.text, limit: error.limit)
            }
        }
    }
}

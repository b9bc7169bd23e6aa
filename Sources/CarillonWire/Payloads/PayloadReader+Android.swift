import CarillonCore

/// What a SEND has for Android devices alone (Protocol 8.1).
extension PayloadReader {
    /// The tag `android` (45) or `android_raw` (47).
    mutating func android(
        _ tag: UInt32, _ value: UnsafeRawBufferPointer, beside content: MessageContent
    ) -> AndroidContent {
        let android = tag == 45 ? AndroidContent.overrides(Array(value)) : .raw(Array(value))
        let field = tag == 45 ? "android" : "android_raw"
        if content.android != nil { recordInvalid(field, "android and android_raw exclude each other") }
        recordInvalid(field) { () throws(MessageFault) in
            try MessageRules.check(android, for: content.pushType)
        }
        return android
    }
}

extension MessageContent {
    /// The tagged field of what Android devices get; nil for nothing.
    var androidField: (tag: UInt32, value: [UInt8])? {
        switch android {
        case nil: nil
        case .overrides(let bytes): (45, bytes)
        case .raw(let bytes): (47, bytes)
        }
    }
}

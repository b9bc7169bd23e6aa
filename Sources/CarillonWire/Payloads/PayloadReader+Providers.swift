import CarillonCore

/// What a SEND has for the devices of one provider alone (Protocol 8.1).
extension PayloadReader {
    /// The tag `android` or `android_raw`.
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

    /// The tag `web` or `web_raw`.
    mutating func browser(
        _ tag: UInt32, _ value: UnsafeRawBufferPointer, beside content: MessageContent
    ) -> BrowserContent {
        let browser = tag == 49 ? BrowserContent.overrides(Array(value)) : .raw(Array(value))
        let field = tag == 49 ? "web" : "web_raw"
        if content.browser != nil { recordInvalid(field, "web and web_raw exclude each other") }
        recordInvalid(field) { () throws(MessageFault) in
            try MessageRules.check(browser, for: content.pushType)
        }
        return browser
    }
}

extension MessageContent {
    /// The tagged fields of what the devices of one provider get.
    var providerFields: [(tag: UInt32, value: [UInt8])?] {
        let android: (tag: UInt32, value: [UInt8])? =
            switch android {
            case nil: nil
            case .overrides(let bytes): (45, bytes)
            case .raw(let bytes): (47, bytes)
            }
        let browser: (tag: UInt32, value: [UInt8])? =
            switch browser {
            case nil: nil
            case .overrides(let bytes): (49, bytes)
            case .raw(let bytes): (51, bytes)
            }
        return [android, browser]
    }
}

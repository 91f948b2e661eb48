#include "base/xml.hpp"

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(XmlText, EscapesWhatXmlObeys) {
    EXPECT_EQ(xml_text("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
}

}  // namespace
}  // namespace fathom
